import Foundation
import GRDB
import Testing

@testable import MailIndex

@Suite struct SoundMarkTests {
  let lab: IndexLab

  init() throws {
    lab = try IndexLab()
    for number in 0..<30 {
      try lab.put(
        "home/INBOX", "cur/\(number).a:2,S", lab.mail("a\(number)", body: "word\(number) tea"))
    }
    try lab.update()
  }

  private func loseRow() throws {
    let queue = try DatabaseQueue(path: IndexReader.path(root: lab.root))
    try queue.write {
      try $0.execute(sql: "DELETE FROM file WHERE id = (SELECT min(id) FROM file)")
    }
    try queue.close()
  }

  @Test func `an index that only updates have written is marked`() throws {
    #expect(SoundMark.isOn(root: lab.root))
    try lab.put("home/INBOX", "cur/31.a:2,S", lab.mail("a31", body: "new"))
    #expect(try lab.update().messages == 31)
    #expect(SoundMark.isOn(root: lab.root))
    _ = try lab.found("tea")
    #expect(SoundMark.isOn(root: lab.root))
  }

  @Test func `one that is made anew counts its messages, marked or not`() throws {
    #expect(try lab.update(.rebuild).messages == 30)
    #expect(try lab.number("SELECT value FROM meta WHERE key = 'messages'") == 30)
  }

  @Test func `rows of a marked index are not counted`() throws {
    try loseRow()
    #expect(!SoundMark.isOn(root: lab.root))
    // Nothing else tells whether they were.
    SoundMark.put(root: lab.root)
    #expect(try lab.update().reset == nil)
  }

  @Test func `another writer's change takes the mark, and an update gives it back`() throws {
    let queue = try DatabaseQueue(path: IndexReader.path(root: lab.root))
    try queue.write { try $0.execute(sql: "UPDATE meta SET value = 7 WHERE key = 'messages'") }
    try queue.close()
    #expect(!SoundMark.isOn(root: lab.root))
    #expect(try lab.update().messages == 30)
    #expect(SoundMark.isOn(root: lab.root))
  }

  @Test func `a copy is not marked, nor is an index with changes beside it`() throws {
    let path = IndexReader.path(root: lab.root)
    try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    let date = try #require(attributes[.modificationDate] as? Date)
    try FileManager.default.setAttributes(
      [.modificationDate: date], ofItemAtPath: path + ".copy")
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: path + ".copy", toPath: path)
    #expect(!SoundMark.isOn(root: lab.root))
    SoundMark.put(root: lab.root)
    #expect(SoundMark.isOn(root: lab.root))
    try Data("log".utf8).write(to: URL(fileURLWithPath: path + "-wal"))
    #expect(!SoundMark.isOn(root: lab.root))
  }
}
