import Foundation
import MailCore
import Maildir
import Testing

struct FolderChangesTests {
  let policy = MaildirPolicy(fsync: false)

  private func file(_ subdirectory: Subdirectory, _ name: String) -> MessageFile {
    MessageFile(subdirectory: subdirectory, name: Array(name.utf8))
  }

  @Test func `a flag moves a new file to cur, no flag leaves it`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    try scratch.write("", to: "INBOX/new/a")
    #expect(try folder.setFlags([], of: file(.new, "a"), policy: policy) == file(.new, "a"))
    let flagged = try folder.setFlags([.flagged, .seen], of: file(.new, "a"), policy: policy)
    #expect(flagged == file(.cur, "a:2,FS"))
    #expect(try folder.setFlags([], of: flagged, policy: policy) == file(.cur, "a:2,"))
    #expect(try scratch.names("INBOX/cur") == ["a:2,"])
    #expect(try scratch.names("INBOX/new") == [])
  }

  @Test(arguments: ["N", "é", ",S="]) func `a name without room for flags gets a shorter one`(
    piece: String
  ) throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let count = 255 / piece.utf8.count
    let name = String(repeating: piece, count: count)
    try scratch.write("a", to: "INBOX/new/" + name)
    let flagged = try folder.setFlags([.flagged, .seen], of: file(.new, name), policy: policy)
    #expect(flagged.name.count <= 200 && flagged.name.first != UInt8(ascii: "."))
    #expect(flagged.fileName.flags == [.flagged, .seen])
    let text = try #require(String(validating: flagged.name, as: UTF8.self))
    #expect(try scratch.names("INBOX/cur") == [text])
    #expect(try folder.setFlags(.seen, of: flagged, policy: policy).base == flagged.base)
  }

  @Test func `letters that we don't know stay`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    try scratch.write("", to: "INBOX/cur/a;2,AFc")
    #expect(
      try folder.setFlags(.seen, of: file(.cur, "a;2,AFc"), policy: policy) == file(.cur, "a;2,ASc")
    )
  }

  @Test func `nothing is ever replaced`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    try scratch.write("one", to: "INBOX/cur/a:2,")
    try scratch.write("two", to: "INBOX/cur/a:2,S")
    let moved = try folder.setFlags(.seen, of: file(.cur, "a:2,"), policy: policy)
    #expect(moved == file(.cur, "a~2:2,S"))
    #expect(try scratch.bytes("INBOX/cur/a:2,S").text == "two")
    #expect(try scratch.bytes("INBOX/cur/a~2:2,S").text == "one")
  }

  @Test func `a file that went away is told as such`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let gone = file(.cur, "a:2,S")
    #expect(throws: MaildirError.vanished(name: "a:2,S")) {
      try folder.setFlags([], of: gone, policy: policy)
    }
    #expect(throws: MaildirError.vanished(name: "cur/a:2,S")) {
      try folder.setFlags(.seen, of: gone, policy: policy)
    }
    #expect(throws: MaildirError.vanished(name: "cur/a:2,S")) { try folder.facts(gone) }
    #expect(throws: MaildirError.vanished(name: "cur/a:2,S")) {
      try folder.digest(of: gone, policy: policy)
    }
    #expect(try !folder.unlink(gone))
  }

  @Test func `a move keeps name and flags, but not another tool's UID`() throws {
    let scratch = try ScratchTree()
    let inbox = try scratch.folder("INBOX")
    let archive = try scratch.folder("Archive")
    try scratch.write("x", to: "INBOX/cur/1.2.host,U=7:2,S")
    try scratch.write("y", to: "Archive/cur/1.2.host:2,S")
    let moved = try inbox.move(file(.cur, "1.2.host,U=7:2,S"), to: archive, policy: policy)
    #expect(moved == file(.cur, "1.2.host~2:2,S"))
    #expect(try scratch.bytes("Archive/cur/1.2.host:2,S").text == "y")
    #expect(try scratch.names("INBOX/cur") == [])
  }

  @Test func `a move to another file system keeps everything`() throws {
    let scratch = try ScratchTree()
    let other = try ScratchTree(onDisk: true)
    let inbox = try scratch.folder("INBOX")
    let archive = try other.folder("Archive")
    let delivered = try deliver(
      [UInt8]("a: b\r\n\r\nc\r\n"), to: inbox, marks: MessageMarks(flags: .seen, keywords: ["k"]))
    let moved = try inbox.move(delivered.file, to: archive, policy: policy)
    #expect(moved == delivered.file)
    #expect(try archive.facts(moved).modified == delivered.facts.modified)
    #expect(try archive.localKeywords(of: moved, policy: policy).own == ["k"])
    #expect(try scratch.names("INBOX/cur") + other.names("Archive/tmp") == [])
  }

  @Test func `an adopted name is put right and stays otherwise`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    try scratch.write("a\n", to: "INBOX/cur/1.2.h,S=9,W=9:2,S")
    let old = file(.cur, "1.2.h,S=9,W=9:2,S")
    let base = try #require(NameHints.corrected(base: old.base, size: 2, crlfSize: 3))
    #expect(try folder.rename(old, base: base, policy: policy) == file(.cur, "1.2.h,S=2,W=3:2,S"))
  }

  @Test func `names that are no names are refused`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    for name in ["", ".", "..", "../x", "a/b", "a\0b"] {
      #expect(throws: MaildirError.self) { try folder.unlink(file(.cur, name)) }
      #expect(throws: MaildirError.self) { try folder.facts(file(.cur, name)) }
    }
  }

  @Test func `a pipe in the folder does not hang anything`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    #expect(mkfifo(scratch.url("INBOX/cur/p:2,S").path, 0o600) == 0)
    #expect(throws: MaildirError.self) {
      try folder.digest(of: file(.cur, "p:2,S"), policy: policy)
    }
  }
}
