import Foundation
import Maildir
import Testing

@testable import Queue

/// Copying programs and cleaners leave out empty directories: the queue is no less there.
@Suite struct OutboxMissingPartsTests {
  let lab: QueueLab
  init() throws { lab = try QueueLab() }

  static let missing = [["tmp"], ["cur"], ["tmp", "cur"], ["new", "tmp"]]

  @Test(arguments: missing) func `what is queued shows and goes`(missing: [String]) throws {
    let id = try lab.accept()
    if missing.contains("new") {
      try lab.move("new/1700000000.\(id).mirror", "cur/1700000000.\(id).mirror:2,S")
    }
    for name in missing { try lab.remove(name) }
    #expect(try lab.entries().map(\.id) == [id])
    // To look at it makes nothing.
    for name in missing {
      #expect(!FileManager.default.fileExists(atPath: lab.outboxPath + "/" + name))
    }
    let sender = try lab.outbox().beginSending()
    try sender.recover(at: .test(1))
    #expect(try sender.candidates(at: .test(1), urgently: true).map(\.id) == [id])
    for name in missing { #expect(try lab.names(name).isEmpty) }
    try sender.clean(at: .test(1))
    #expect(try lab.entries().map(\.state) == [.queued])
    let new = try lab.accept(at: .test(2))
    #expect(try lab.entries().map(\.id) == [id, new])
  }

  @Test func `without its records a message is parked, not gone`() throws {
    let id = try lab.accept()
    try lab.remove("entries")
    #expect(try lab.entries().map(\.state) == [.held])
    let sender = try lab.outbox().beginSending()
    #expect(try sender.candidates(at: .test(1), urgently: true).isEmpty)
    try sender.clean(at: .test(1))
    #expect(try lab.entries().map(\.id) == [id])
  }

  @Test func `an edited message takes its place where a part was missing`() throws {
    let id = try lab.accept()
    try lab.move("new/1700000000.\(id).mirror", "cur/1700000000.\(id).mirror:2,S")
    try lab.remove("new")
    let outbox = try lab.outbox()
    let seen = try outbox.beginEdit(id, at: .test(1))
    let new = try lab.accept(held: HoldReason.edited)
    try outbox.finishEdit(seen, replacement: new, at: .test(2))
    #expect(try lab.entries().map(\.id) == [new])
  }

  @Test(arguments: ["new", "cur"])
  func `records wait for messages that a restore still brings`(missing: String) throws {
    let id = try lab.accept()
    try lab.orphan(id)
    try lab.move("new/1700000000.\(id).mirror", "elsewhere")
    for suffix in ["envelope", "phase"] { try lab.age("entries/\(id).\(suffix)") }
    try lab.remove(missing)
    try lab.clean(hoursLater: 2)
    #expect(try lab.names("entries").count == 2)
    // The next push finds both, and the hour has begun anew.
    try lab.clean()
    #expect(try lab.names("entries").count == 2)
    let path = lab.outboxPath + "/entries/\(id).envelope"
    let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
    #expect(try #require(date).timeIntervalSinceNow > -3600)
    try lab.move("elsewhere", "new/1700000000.\(id).mirror")
    #expect(try lab.entries().map(\.state) == [.queued])
  }

  @Test func `a file in a part's place is told to who would send`() throws {
    try lab.accept()
    try lab.remove("cur")
    try lab.write([], to: "cur")
    #expect(try lab.entries().count == 1)
    let outbox = try lab.outbox()
    #expect(throws: QueueError.files(.notMaildir(path: outbox.folders.outbox.path))) {
      try outbox.beginSending()
    }
  }
}
