import Foundation
import Ledger
import LedgerTestKit
import MailCore
import Maildir
import State
import SyncPlan
import Testing

@testable import Sync

/// What a mail reader did to the tree is found, and nothing that it did not do.
struct ChangeFinderTests {
  @Test func `a tree that nobody touched has no changes`() throws {
    let tree = try PushTree.usual()
    let changes = try tree.find()
    #expect(changes.isEmpty)
    #expect(changes.scans.count == 4)
    #expect(try tree.find(full: true).isEmpty)
  }

  @Test func `flags in names are found, a move from new to cur is none`() throws {
    let tree = try PushTree.usual()
    let one = try tree.file("m1", in: "INBOX")
    let name = (one as NSString).lastPathComponent
    try tree.move(one, to: tree.path("INBOX/cur/\(name):2,FS"))
    let two = try tree.file("m2", in: "INBOX")
    try tree.move(
      two, to: tree.path("INBOX/cur/\((two as NSString).lastPathComponent):2,"))
    let changes = try tree.find()
    #expect(changes.marks.map(\.local.flags) == [[.flagged, .seen]])
    #expect(changes.gone.isEmpty && changes.new.isEmpty && changes.moved.isEmpty)
  }

  @Test func `a keywords line is metadata, no edit`() throws {
    let tree = try PushTree.usual()
    let path = try tree.file("m1", in: "INBOX")
    try tree.write("X-Keywords: red, blue\n" + tree.message("m1"), to: path)
    let changes = try tree.find()
    #expect(changes.marks.map(\.local.keywords) == [["red", "blue"]])
    #expect(changes.edited.isEmpty)
  }

  @Test func `a keyword of the same length, with size and time as before, is found`() throws {
    let tree = try PushTree.usual(0)
    try tree.pull("k", into: "INBOX", keywords: ["one"])
    let path = try tree.file("k", in: "INBOX")
    let text = try String(contentsOfFile: path, encoding: .utf8).replacing("one", with: "two")
    try tree.write(text, to: path)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_600_000_000)], ofItemAtPath: path)
    #expect(try tree.find().marks.map(\.local.keywords) == [["two"]])
  }

  @Test func `an edited body is an edit`() throws {
    let tree = try PushTree.usual()
    let path = try tree.file("m1", in: "INBOX")
    try tree.write(tree.message("m1") + "more\n", to: path)
    let changes = try tree.find()
    #expect(changes.edited.count == 1 && changes.marks.isEmpty)
    let plan = try tree.plan()
    #expect(plan.edits.count == 1 && plan.isQuiet, "no draft: servers cannot change a message")
  }

  @Test func `an edited draft is sent and replaces the old one`() throws {
    let tree = try PushTree.usual()
    let uid = try tree.pull("d", into: "Drafts", flags: .draft)
    try tree.write(tree.message("d") + "more\n", to: try tree.file("d", in: "Drafts"))
    let plan = try tree.plan()
    #expect(plan.uploads.map(\.replaces?.uid) == [uid])
    #expect(plan.deletions.isEmpty && plan.marks.isEmpty)
  }

  @Test func `mv to another folder is a move`() throws {
    let tree = try PushTree.usual()
    let path = try tree.file("m1", in: "INBOX")
    try tree.move(path, to: tree.path("Archive/cur/\((path as NSString).lastPathComponent):2,S"))
    let plan = try tree.plan()
    #expect(plan.moves.count == 1 && plan.deletions.isEmpty && plan.uploads.isEmpty)
    #expect(plan.moves.first?.to == tree.mailboxes[1].id)
    #expect(plan.marks.map(\.local.flags) == [.seen], "moved and flagged are one chain")
  }

  @Test func `a new name with a reader's headers is the same move`() throws {
    let tree = try PushTree.usual()
    let path = try tree.file("m1", in: "INBOX")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try FileManager.default.removeItem(atPath: path)
    let saved = text.replacing(
      "\n\nThis", with: "\nContent-Length: 12\nLines: 1\nStatus: RO\n\nThis")
    try tree.write(saved, to: tree.path("Archive/cur/1700000000.R1.host:2,S"))
    let plan = try tree.plan()
    #expect(plan.moves.count == 1 && plan.deletions.isEmpty && plan.uploads.isEmpty)
  }

  @Test func `a new name in the same folder is nothing for the server`() throws {
    let tree = try PushTree.usual()
    try tree.move(
      try tree.file("m1", in: "INBOX"), to: tree.path("INBOX/cur/1700000000.R1.host:2,"))
    let plan = try tree.plan()
    #expect(plan.renamedFiles.count == 1 && plan.isQuiet)
  }

  @Test func `a copy in another folder is sent, one in the same folder is not`() throws {
    let tree = try PushTree.usual()
    let path = try tree.file("m1", in: "INBOX")
    try FileManager.default.copyItem(
      atPath: path, toPath: tree.path("Archive/cur/1700000000.R1.host:2,"))
    try FileManager.default.copyItem(
      atPath: path, toPath: tree.path("INBOX/cur/1700000000.R2.host:2,"))
    let plan = try tree.plan()
    #expect(plan.uploads.map(\.file.folder.text) == ["Archive"])
    #expect(plan.surplus.map(\.folder.text) == ["INBOX"])
    #expect(plan.moves.isEmpty && plan.deletions.isEmpty)
  }

  @Test func `of two equal messages the one whose file is missing has moved`() throws {
    let tree = try PushTree.usual(0)
    try tree.pull("twin", into: "INBOX")
    try tree.pull("twin", into: "Archive")
    let path = try tree.file("twin", in: "INBOX")
    try tree.move(path, to: tree.path("Archive/cur/1700000000.R1.host:2,"))
    let plan = try tree.plan()
    #expect(plan.moves.count == 1 && plan.uploads.isEmpty && plan.deletions.isEmpty)
    #expect(plan.surplus.isEmpty)
  }

  @Test func `a removed file is a deletion, in Trash a final one`() throws {
    let tree = try PushTree.usual()
    try tree.pull("old", into: "Trash")
    try FileManager.default.removeItem(atPath: try tree.file("m1", in: "INBOX"))
    try FileManager.default.removeItem(atPath: try tree.file("old", in: "Trash"))
    #expect(try tree.plan().deletions.map(\.way) == [.trash, .expunge])
    #expect(try tree.plan(expunges: true).deletions.map(\.way) == [.expunge, .expunge])
  }

  @Test func `a file in a folder that is not mirrored is no deletion`() throws {
    let tree = try PushTree.usual()
    try tree.makeFolder("Elsewhere")
    let path = try tree.file("m1", in: "INBOX")
    try tree.move(path, to: tree.path("Elsewhere/cur/1700000000.R1.host:2,"))
    let changes = try tree.find()
    let plan = PushPlanner(PushSituation(mailboxes: tree.mailboxes)).plan(changes)
    #expect(plan.isQuiet)
    #expect(plan.waiting.count == 1)
  }

  @Test func `a renamed folder is one rename, with nothing moved or deleted`() throws {
    let tree = try PushTree.usual(3)
    let id = try tree.add("Work")
    for number in 0..<5 { try tree.pull("w\(number)", into: "Work") }
    try tree.move(tree.path("Work"), to: tree.path("Job"))
    let plan = try tree.plan()
    #expect(plan.renames == [.init(mailbox: id, folder: FolderPath(text: "Job")!, name: "Job")])
    #expect(plan.moves.isEmpty && plan.creations.isEmpty && plan.deletions.isEmpty)
    #expect(plan.held.isEmpty)
  }

  @Test func `a new folder becomes a mailbox`() throws {
    let tree = try PushTree.usual()
    try tree.makeFolder("Fresh")
    #expect(try tree.plan().creations.map(\.name) == ["Fresh"])
  }

  @Test func `files that a pull left without records are not sent`() throws {
    let tree = try PushTree.usual()
    let birth = BirthName(
      internalDate: 1, mailbox: MailboxName("INBOX", delimiter: "/"),
      uidValidity: UIDValidity(7), uid: UID(99), account: "personal")
    let base = String(decoding: birth.base, as: UTF8.self)
    try tree.write(tree.message("half"), to: tree.path("INBOX/cur/\(base):2,"))
    try tree.change("INBOX") { $0.isDirty = true }
    #expect(try tree.plan().uploads.isEmpty && tree.plan().waiting.count == 1)
    // Nor when the person moved one on.
    try tree.move(
      tree.path("INBOX/cur/\(base):2,"), to: tree.path("Archive/cur/\(base):2,"))
    #expect(try tree.plan().uploads.isEmpty)
    try tree.change("INBOX") { $0.isDirty = false }
    #expect(try tree.plan().uploads.count == 1)
  }

  @Test func `nothing in tmp counts`() throws {
    let tree = try PushTree.usual()
    try tree.write(tree.message("half"), to: tree.path("INBOX/tmp/half"))
    #expect(try tree.find().isEmpty)
  }

  @Test func `a reader at work never looks like a deletion`() async throws {
    let tree = try PushTree.usual(200)
    let stop = Stop()
    let paths = try tree.files("INBOX").map { $0.description }
    let root = tree.tree.path
    let reader = Thread {
      var place = ["INBOX", "Archive"]
      var names = paths
      while !stop.isSet {
        for index in names.indices where !stop.isSet {
          let old = "\(root)/\(place[0])/\(names[index])"
          let base = (names[index] as NSString).lastPathComponent.components(separatedBy: ":")[0]
          let new = "cur/\(base):2,\(Bool.random() ? "S" : "")"
          rename(old, "\(root)/\(place[1])/\(new)")
          names[index] = new
        }
        place.reverse()
      }
      stop.finish()
    }
    reader.start()
    defer { stop.set() }
    for _ in 0..<6 {
      let changes = try tree.find()
      #expect(changes.gone.isEmpty, "\(changes.gone.count) of 200")
      #expect(changes.new.isEmpty)
    }
    stop.set()
    stop.wait()
    let settled = try tree.find()
    #expect(settled.gone.isEmpty && settled.new.isEmpty && !settled.isRaced)
  }

  @Test func `a folder that has not changed is passed over, but for edits in place once a day`()
    throws
  {
    let tree = try PushTree.usual()
    for name in ["INBOX", "Archive", "Trash", "Drafts"] {
      for part in ["new", "cur"] {
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSinceNow: -60)],
          ofItemAtPath: tree.path("\(name)/\(part)"))
      }
    }
    let scans = try tree.find().scans
    try tree.state.transaction { transaction in for scan in scans { try transaction.put(scan) } }
    let path = try tree.file("m1", in: "INBOX")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.write(contentsOf: Data((text + "in place\n").utf8))
    try handle.close()
    #expect(try tree.find().isEmpty, "the directory did not move")
    #expect(try tree.find(full: true).edited.count == 1)
    let (inbox, archive) = (
      try #require(FolderPath(text: "INBOX")), try #require(FolderPath(text: "Archive"))
    )
    #expect(try tree.find(compared: [archive]).isEmpty)
    #expect(try tree.find(compared: [archive, inbox]).edited.count == 1)
    #expect(try tree.find(compared: nil).edited.count == 1)
    try tree.state.transaction { transaction in
      for var scan in scans {
        scan.compared -= 25 * 3600
        try transaction.put(scan)
      }
    }
    #expect(try tree.find().edited.count == 1)
  }

  #if os(Linux)
    @Test func `a file that cannot be read may be the one that is missing`() throws {
      let tree = try PushTree.usual()
      try FileManager.default.removeItem(atPath: tree.file("m1", in: "INBOX"))
      // A regular file that nobody can read just now, not even root: somebody has a lease on it.
      let path = tree.path("Archive/cur/17.1.host:2,S")
      try tree.write(tree.message("n"), to: path)
      let lease = open(path, O_RDWR | O_CLOEXEC)
      defer { close(lease) }
      try #require(fcntl(lease, 10, SIGURG) == 0)  // F_SETSIG
      try #require(fcntl(lease, 1024, Int32(F_WRLCK)) == 0)  // F_SETLEASE
      let changes = try tree.find()
      #expect(changes.gone.count == 1 && changes.unreadable.count == 1, "\(changes.unreadable)")
      let plan = try tree.plan(massDelete: true)
      #expect(plan.deletions.isEmpty && plan.held.map(\.count) == [1])
      #expect(try tree.plan().held.first?.reason == .unreadable("Archive/cur/17.1.host:2,S"))
    }
  #endif

  @Test(arguments: ["/nowhere/at/all", "/etc/hostname", "/etc"])
  func `a symbolic link is no message, and stops nothing`(target: String) throws {
    let tree = try PushTree.usual()
    try FileManager.default.createSymbolicLink(
      atPath: tree.path("INBOX/cur/17.1.host:2,S"), withDestinationPath: target)
    let path = try tree.file("m1", in: "INBOX")
    try tree.move(path, to: tree.path("Archive/cur/\((path as NSString).lastPathComponent):2,S"))
    try FileManager.default.removeItem(atPath: tree.file("m2", in: "INBOX"))
    try tree.write(tree.message("n"), to: tree.path("Archive/cur/18.1.host:2,S"))
    let plan = try tree.plan()
    #expect(plan.moves.count == 1 && plan.deletions.count == 1 && plan.uploads.count == 1)
    #expect(try !tree.find().isRaced)
  }

  @Test func `a draft with size and time as before is read when it changed since`() throws {
    let tree = try PushTree.usual()
    for (text, name) in [("d1", "Drafts"), ("d2", "INBOX"), ("m8", "INBOX")] {
      try tree.pull(text, into: name, flags: text == "d2" ? [.draft] : [])
    }
    for (text, name) in [("d1", "Drafts"), ("d2", "INBOX"), ("m8", "INBOX")] {
      let path = try tree.file(text, in: name)
      try tree.write(tree.message(text).replacing("This", with: "That"), to: path)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1_600_000_000)], ofItemAtPath: path)
    }
    for full in [false, true] {
      let plan = try tree.plan(full: full)
      #expect(plan.uploads.count == 2 && plan.edits.isEmpty)
    }
  }

  @Test func `a new name in the same folder brings its new flags along`() throws {
    let tree = try PushTree.usual()
    try tree.move(
      try tree.file("m1", in: "INBOX"), to: tree.path("INBOX/cur/1700000000.R1.host:2,FS"))
    let plan = try tree.plan()
    #expect(plan.renamedFiles.count == 1)
    #expect(plan.marks.map(\.local.flags) == [[.flagged, .seen]])
  }

  @Test func `nothing is sent or moved into what a pull left half way`() throws {
    let tree = try PushTree.usual()
    let path = try tree.file("m1", in: "INBOX")
    try tree.move(path, to: tree.path("Archive/cur/\((path as NSString).lastPathComponent):2,S"))
    try tree.write(tree.message("n"), to: tree.path("Drafts/cur/18.1.host:2,S"))
    try tree.change("Archive") { $0.isDirty = true }
    let plan = try tree.plan()
    #expect(plan.moves.isEmpty && plan.waiting.contains { $0.reason == .pullFirst })
    #expect(plan.uploads.count == 1, "the plan alone knows of its own mailbox only")
    let changes = try tree.find()
    var situation = PushSituation(mailboxes: tree.mailboxes)
    situation.unsettled = [99]
    #expect(PushPlanner(situation).plan(changes).uploads.isEmpty)
    situation.unsettled = []
    situation.isAdopting = true
    #expect(PushPlanner(situation).plan(changes).uploads.isEmpty)
  }
}

private final class Stop: @unchecked Sendable {  // behind `condition`
  private let condition = NSCondition()
  private var isOver = false
  private var hasEnded = false
  var isSet: Bool { condition.withLock { isOver } }
  func set() { condition.withLock { isOver = true } }
  func finish() {
    condition.withLock {
      hasEnded = true
      condition.broadcast()
    }
  }
  func wait() {
    condition.withLock { while !hasEnded { condition.wait() } }
  }
}
