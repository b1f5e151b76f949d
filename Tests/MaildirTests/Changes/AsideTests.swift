import Foundation
import MailCore
import Maildir
import Testing

struct AsideTests {
  private func edit(_ file: MessageFile, _ scratch: ScratchTree) throws {
    let handle = try FileHandle(forUpdating: scratch.url("INBOX/" + file.description))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("more\n".utf8))
    try handle.close()
  }

  @Test func `a file that is as it was seen goes`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let file = try deliver([UInt8]("a: b\r\n\r\n"), to: folder).file
    try folder.unlink(file, asSeen: folder.facts(file))
    for part in ["new", "cur", "tmp"] { #expect(try scratch.names("INBOX/" + part) == []) }
  }

  @Test(arguments: [true, false]) func `a file that was edited since stays`(keepsTime: Bool) throws
  {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let file = try deliver([UInt8]("a: b\r\n\r\nbody\r\n"), to: folder).file
    let seen = try folder.facts(file)
    if keepsTime {
      // As long as before, with the same date: only the time of change tells.
      let path = scratch.url("INBOX/" + file.description).path
      let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
      try handle.write(contentsOf: Data("A".utf8))
      try handle.close()
      try folder.setModified(seen.modified / 1_000_000_000, of: file)
    } else {
      try edit(file, scratch)
    }
    #expect(throws: MaildirError.vanished(name: file.description)) {
      try folder.unlink(file, asSeen: seen)
    }
    #expect(try folder.facts(file).inode == seen.inode)
    #expect(try scratch.names("INBOX/tmp") == [])
  }

  @Test(arguments: [30, 120, 240]) func `a name aside tells all that it must`(length: Int) throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let seen = try folder.facts(try deliver([UInt8]("a: b\r\n\r\n"), to: folder).file)
    let file = MessageFile(
      subdirectory: .cur, name: Array((String(repeating: "n", count: length) + ":2,FS").utf8))
    let name = AsideName(file, seen: seen, ownInode: 7)
    #expect(AsideName(name.bytes) == name)
    #expect(name.bytes.count <= 255)
    #expect(name.name == file.name || length == 240 && name.name.suffix(5) == file.name.suffix(5))
    #expect(TemporaryName(name.bytes) == nil && AsideName(TemporaryName.next()) == nil)
    #expect(name.size == seen.size && name.modified == seen.modified)
  }

  enum Left: CaseIterable { case asSeen, ours, edited, editedAndTaken, living }

  @Test(arguments: Left.allCases) func `what a killed run put aside is settled`(left: Left) throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let file = try deliver([UInt8]("a: b\r\n\r\n"), to: folder, marks: MessageMarks(flags: .seen))
      .file
    let seen = try folder.facts(file)
    var name = AsideName(file, seen: seen, ownInode: left == .ours ? seen.inode : 0)
    if left != .living { name.owner.start += 1 }
    if left != .asSeen { try edit(file, scratch) }
    try FileManager.default.moveItem(
      at: scratch.url("INBOX/" + file.description),
      to: scratch.url("INBOX/tmp/" + name.bytes.text))
    if left == .editedAndTaken { try scratch.write("x", to: "INBOX/" + file.description) }
    let isGone = left == .asSeen || left == .ours
    #expect(try folder.cleanTemporaryFiles() == (isGone ? 1 : 0))
    #expect(try scratch.names("INBOX/tmp") == (left == .living ? [name.bytes.text] : []))
    let present = try scratch.names("INBOX/cur")
    switch left {
    case .asSeen, .ours, .living: #expect(present == [])
    case .edited: #expect(present == [file.name.text])
    case .editedAndTaken: #expect(present.count == 2 && present.contains(file.name.text))
    }
    for name in present where left != .editedAndTaken {
      #expect(try scratch.bytes("INBOX/cur/" + name).text.hasSuffix("more\n"))
    }
  }
}
