import Foundation
import MailCore
import Maildir
import Testing

struct AccountTreeTests {
  @Test func `a tree that is not there is not made in passing`() {
    #expect(throws: MaildirError.treeVanished(path: "/nonexistent/mail")) {
      try AccountTree.open(path: "/nonexistent/mail", create: false)
    }
  }

  @Test func `.mirror is private and marked for other indexers`() throws {
    let scratch = try ScratchTree()
    #expect(scratch.exists(".mirror/.noindex"))
  }

  @Test func `a tree that was swapped under us is noticed`() throws {
    let scratch = try ScratchTree()
    try scratch.tree.checkWritable()
    let account = scratch.path + "/account"
    try FileManager.default.moveItem(atPath: account, toPath: scratch.path + "/away")
    #expect(throws: MaildirError.treeVanished(path: account)) { try scratch.tree.checkWritable() }
    // The empty directory below an unmounted disk.
    try FileManager.default.createDirectory(atPath: account, withIntermediateDirectories: false)
    #expect(throws: MaildirError.treeVanished(path: account)) { try scratch.tree.checkWritable() }
  }

  @Test func `a tree without .mirror is refused`() throws {
    let scratch = try ScratchTree()
    try FileManager.default.removeItem(at: scratch.url(".mirror"))
    #expect(throws: MaildirError.self) { try scratch.tree.checkWritable() }
    #expect(throws: MaildirError.self) {
      try AccountTree.openExisting(path: scratch.path + "/account")
    }
  }

  @Test func `the identity is the same until the tree is another one`() throws {
    let scratch = try ScratchTree(onDisk: true)
    let identity = try scratch.tree.identity()
    #expect(
      try AccountTree.openExisting(path: scratch.path + "/account").identity().isSameTree(
        as: identity))
    #expect(TreeIdentity(text: identity.text) == identity)
    let copy = try AccountTree.open(path: scratch.path + "/copy", create: true)
    #expect(try !copy.identity().isSameTree(as: identity))
    var elsewhere = identity
    elsewhere.machine += 1
    #expect(!elsewhere.isSameTree(as: identity))
    for text in ["", "1 2 3", "2 1 1 1 1 1", "1 x 1 1 1 1"] {
      #expect(TreeIdentity(text: text) == nil)
    }
  }

  @Test func `a second run is told who holds the account`() throws {
    let scratch = try ScratchTree()
    let lock = try scratch.tree.lock(program: "mirror pull", since: "2026-01-02 03:04")
    let error = #expect(throws: MaildirError.self) {
      try scratch.tree.lock(program: "mirror push", since: "later")
    }
    guard case .locked(let holder) = error else {
      Issue.record("not locked")
      return
    }
    #expect(holder == "mirror pull, process \(getpid()), since 2026-01-02 03:04")
    #expect(error?.explanation.exitStatus == .busy)
    withExtendedLifetime(lock) {}
  }

  @Test func `the words of a holder that has ended are not taken for the new one's`() throws {
    let scratch = try ScratchTree()
    let lock = try scratch.tree.lock(program: "mirror pull", since: "x")
    // No system has so many processes.
    try scratch.write("2000000000\nmirror sync\nyesterday\n", to: ".mirror/lock")
    let error = #expect(throws: MaildirError.self) {
      try scratch.tree.lock(program: "mirror push", since: "later")
    }
    guard case .locked(let holder) = error else {
      Issue.record("not locked")
      return
    }
    #expect(!holder.contains("2000000000") && !holder.contains("yesterday"))
    withExtendedLifetime(lock) {}
  }

  @Test func `a lock dies with its holder`() throws {
    let scratch = try ScratchTree()
    do { _ = try scratch.tree.lock(program: "first, with a longer name", since: "x") }
    let lock = try scratch.tree.lock(program: "b", since: "y")
    #expect(try scratch.bytes(".mirror/lock").text == "\(getpid())\nb\ny\n")
    withExtendedLifetime(lock) {}
  }

  @Test func `a lock that is kept tells which run has it now`() throws {
    let scratch = try ScratchTree()
    let lock = try scratch.tree.lock(program: "mirror push", since: "a longer time ago")
    lock.noteEnd(exitStatus: 1)
    #expect(try scratch.tree.lastHolder()?.words.exitStatus == 1)
    lock.noteBeginning(program: "mirror pull", since: "now")
    let words = try #require(try scratch.tree.lastHolder()?.words)
    #expect(words.program == "mirror pull" && words.since == "now" && words.exitStatus == nil)
  }

  @Test func `what a pull left undone is told until a whole one does it`() throws {
    let scratch = try ScratchTree()
    func run(_ program: String, _ since: String, _ status: Int32?, isWholePull: Bool = false) throws
    {
      let lock = try scratch.tree.lock(program: program, since: since, isWholePull: isWholePull)
      if let status { lock.noteEnd(exitStatus: status) }
    }
    func undone() throws -> RunLockWords.UndonePull? {
      try scratch.tree.lastHolder()?.words.pullUndone
    }
    try run("mirror pull", "1", 0, isWholePull: true)
    #expect(try undone() == nil)
    try run("mirror pull", "2", 69, isWholePull: true)
    for program in ["mirror push", "mirror revert", "mirror pull", "mirror push"] {
      try run(program, "3", 0)
      #expect(try undone()?.exitStatus == 69 && undone()?.since == "2", "\(program)")
      #expect(try scratch.tree.lastHolder()?.words.exitStatus == 0)
    }
    // Of one of some mailboxes that fails, the state keeps what is left to do.
    try run("mirror pull", "4", 1)
    try run("mirror push", "5", nil)
    #expect(try undone()?.exitStatus == 69)
    try run("mirror pull", "6", 0, isWholePull: true)
    try run("mirror pull", "6", 1)
    try run("mirror push", "7", 1)
    #expect(try undone() == nil)
  }

  @Test func `looking at the file system writes nothing`() throws {
    let scratch = try ScratchTree()
    let before = try scratch.names(".") + scratch.names(".mirror")
    let traits = try scratch.tree.traits()
    // What /dev/shm and the usual disk of this system do.
    #if os(Linux)
      #expect(!traits.foldsCase && !traits.foldsNormalisation)
    #else
      #expect(traits.foldsNormalisation)
    #endif
    #expect(try scratch.names(".") + scratch.names(".mirror") == before)
  }
}
