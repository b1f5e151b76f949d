import Foundation
import MailCore
import Maildir
import Testing

struct MaildirFolderTests {
  @Test func `a folder is made whole and private`() throws {
    let scratch = try ScratchTree(onDisk: true)
    let path = FolderPath.test("a/b")
    #expect(try !MaildirFolder.exists(path, in: scratch.tree))
    _ = try MaildirFolder.create(path, in: scratch.tree)
    #expect(try MaildirFolder.exists(path, in: scratch.tree))
    #expect(try !MaildirFolder.exists(.test("a"), in: scratch.tree))
    for part in ["a", "a/b", "a/b/tmp", "a/b/new", "a/b/cur", ".mirror"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: scratch.url(part).path)
      #expect(attributes[.posixPermissions] as? Int == 0o700)
    }
    // A second time changes nothing.
    _ = try MaildirFolder.create(path, in: scratch.tree)
  }

  #if os(Linux)
    /// Messages move from `new` to `cur`: with `new` on disk and `cur` not, a power cut would lose them.
    @Test func `cur is synced before new`() throws {
      let scratch = try ScratchTree()
      let folder = try scratch.folder("INBOX")
      // Neither can be synced, so the error names the one that was tried.
      let unsyncable = open("/", 0o10000000 | O_DIRECTORY)  // O_PATH
      try #require(unsyncable >= 0)
      defer { close(unsyncable) }
      for directory in [folder.new, folder.cur] { dup2(unsyncable, directory.descriptor) }
      #expect(
        throws: MaildirError.system(
          call: "fsync", path: scratch.url("INBOX/cur").path, code: EBADF)
      ) { try folder.syncDirectories() }
    }
  #endif

  @Test(arguments: ["tmp", "new", "cur"])
  func `a folder that lacks a part is refused, not taken for empty`(part: String) throws {
    let scratch = try ScratchTree()
    _ = try scratch.folder("INBOX")
    try FileManager.default.removeItem(at: scratch.url("INBOX/" + part))
    #expect(throws: MaildirError.notMaildir(path: scratch.url("INBOX").path)) {
      try MaildirFolder.open(.test("INBOX"), in: scratch.tree)
    }
  }

  @Test func `a folder that is removed under us takes no delivery`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    try FileManager.default.removeItem(at: scratch.url("INBOX"))
    #expect(throws: MaildirError.self) { try deliver([UInt8]("a: b\r\n\r\n"), to: folder) }
    #expect(!scratch.exists("INBOX"))
  }

  @Test func `a dangling link is no empty folder`() throws {
    let scratch = try ScratchTree()
    try FileManager.default.createSymbolicLink(
      at: scratch.url("INBOX"), withDestinationURL: URL(fileURLWithPath: "/nonexistent/x"))
    #expect(throws: MaildirError.self) { try MaildirFolder.open(.test("INBOX"), in: scratch.tree) }
    #expect(throws: MaildirError.self) {
      try MaildirFolder.create(.test("INBOX"), in: scratch.tree)
    }
  }

  @Test func `folders are listed, other programs' directories are not`() throws {
    let scratch = try ScratchTree()
    for path in ["INBOX", "a/b/c", "a", ".hidden", ".notmuch", "skipped", "skipped/x"] {
      _ = try scratch.folder(path)
    }
    try scratch.write("", to: "skipped/.noindex")
    try FileManager.default.createDirectory(
      at: scratch.url("plain"), withIntermediateDirectories: false)
    #expect(try scratch.tree.folders(.nested).map(\.text) == ["INBOX", "a", "a/b/c"])
    #expect(try scratch.tree.folders(.maildirPlusPlus).map(\.text) == [".hidden"])
    for name in ["tmp", "new", "cur"] {
      try FileManager.default.createDirectory(
        at: scratch.url(name), withIntermediateDirectories: false)
    }
    #expect(try scratch.tree.folders(.maildirPlusPlus).map(\.text) == ["", ".hidden"])
  }

  @Test(arguments: [LayoutStyle.nested, .maildirPlusPlus])
  func `a directory that cannot be read hides no other`(style: LayoutStyle) throws {
    let scratch = try ScratchTree()
    let names = style == .nested ? ["INBOX", "a/b", "z"] : [".INBOX", ".a.b", ".z"]
    for name in names { _ = try scratch.folder(name) }
    let unread = style == .nested ? "a/loop" : ".loop"
    // Also root cannot follow it.
    try FileManager.default.createSymbolicLink(
      atPath: scratch.url(unread).path, withDestinationPath: scratch.url(unread).path)
    let listing = try scratch.tree.readableFolders(style)
    #expect(listing.folders.map(\.text) == names && listing.unread.map(\.text) == [unread])
    #expect(throws: MaildirError.self) { try scratch.tree.folders(style) }
    #expect(
      FolderPath.test("a/b").isInside(.test("a")) && !FolderPath.test("ab").isInside(.test("a")))
  }

  @Test func `a folder moves with all that is below it`() throws {
    let scratch = try ScratchTree(onDisk: true)
    let folder = try scratch.folder("old/name")
    _ = try scratch.folder("old/name/child")
    try scratch.write("a: b\n\n", to: "old/name/cur/m:2,S")
    try scratch.tree.renameFolder(.test("old/name"), to: .test("new/place"))
    #expect(scratch.exists("new/place/cur/m:2,S"))
    #expect(scratch.exists("new/place/child/cur"))
    // The open folder is still the same one.
    #expect(try FolderScan.read(folder).count == 1)
    _ = try scratch.folder("third")
    #expect(throws: MaildirError.nameTaken(name: "new/place")) {
      try scratch.tree.renameFolder(.test("third"), to: .test("new/place"))
    }
  }

  @Test func `a folder with mail is never removed`() throws {
    let scratch = try ScratchTree()
    _ = try scratch.folder("a")
    _ = try scratch.folder("a/b")
    try scratch.write("0 x\n", to: "a/b/dovecot-keywords")
    #expect(throws: MaildirError.notEmpty(path: "a")) { try scratch.tree.removeFolder(.test("a")) }
    try scratch.write("a: b\n\n", to: "a/b/new/m")
    #expect(throws: MaildirError.notEmpty(path: "a/b")) {
      try scratch.tree.removeFolder(.test("a/b"))
    }
    #expect(scratch.exists("a/b/new/m"))
    try FileManager.default.removeItem(at: scratch.url("a/b/new/m"))
    try scratch.tree.removeFolder(.test("a/b"))
    #expect(!scratch.exists("a/b"))
    #expect(scratch.exists("a/cur"))
  }

  @Test func `a folder without mail that holds others is cleared, and they stay`() throws {
    let scratch = try ScratchTree()
    _ = try scratch.folder("a")
    _ = try scratch.folder("a/b")
    try scratch.write("0 x\n", to: "a/dovecot-keywords")
    try scratch.write("a: b\n\n", to: "a/cur/m")
    #expect(throws: MaildirError.notEmpty(path: "a")) { try scratch.tree.clearFolder(.test("a")) }
    try FileManager.default.removeItem(at: scratch.url("a/cur/m"))
    try scratch.write("mine\n", to: "a/notes.txt")
    #expect(throws: MaildirError.notEmpty(path: "a")) { try scratch.tree.clearFolder(.test("a")) }
    #expect(scratch.exists("a/cur") && scratch.exists("a/dovecot-keywords"))
    try FileManager.default.removeItem(at: scratch.url("a/notes.txt"))
    try scratch.tree.clearFolder(.test("a"))
    #expect(scratch.exists("a/b/cur") && !scratch.exists("a/cur"))
    try scratch.tree.clearFolder(.test("a/b"))
    #expect(!scratch.exists("a/b"))
  }
}
