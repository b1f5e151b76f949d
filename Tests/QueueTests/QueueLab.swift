import Foundation
import Maildir

@testable import Queue

/// An account's tree in a directory of its own, removed at the end.
final class QueueLab {
  let path: String
  let tree: AccountTree

  init() throws {
    let memory = "/dev/shm"
    let parent =
      FileManager.default.isWritableFile(atPath: memory)
      ? memory : FileManager.default.temporaryDirectory.path
    path = parent + "/queue-tests-" + UUID().uuidString
    tree = try AccountTree.open(path: path + "/account", create: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var account: String { path + "/account" }
  var outboxPath: String { account + "/.mirror/outbox" }

  @discardableResult
  func accept(
    _ text: String = "Subject: Hi\n\nHello\n", to recipients: [String] = ["bob@example.org"],
    at now: QueueInstant = .test(0), held: String? = nil
  ) throws -> QueueID {
    let acceptance = try OutboxAcceptance(in: tree)
    try acceptance.write(Array(text.utf8))
    return try acceptance.commit(
      sender: "alice@example.org", recipients: recipients, messageID: "1@example.org",
      subject: "Hi", held: held, at: now
    ).id
  }

  func outbox() throws -> Outbox { try Outbox.open(in: tree)! }
  func entries() throws -> [QueueEntry] { try OutboxReader.entries(account: account) }

  func names(_ directory: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: outboxPath + "/" + directory).sorted()
  }

  func move(_ from: String, _ to: String) throws {
    try FileManager.default.moveItem(
      atPath: outboxPath + "/" + from, toPath: outboxPath + "/" + to)
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: outboxPath + "/" + name)
  }

  func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: outboxPath + "/" + name)))
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(filePath: outboxPath + "/" + name))
  }

  /// As its last push would, so many hours after everything that there is was written.
  func clean(hoursLater hours: Int64 = 0, at now: QueueInstant = .test(0)) throws {
    let sender = try outbox().beginSending()
    sender.secondsAhead = hours * 3600
    try sender.clean(at: now)
  }

  /// Makes the entry's owner a process that is no more; returns the name that it had for the message.
  @discardableResult
  func orphan(_ id: QueueID) throws -> String {
    var envelope = try EnvelopeFile.read(bytes("entries/\(id).envelope"))
    envelope.temporaryName = Self.deadName()
    try write(EnvelopeFile.bytes(envelope), to: "entries/\(id).envelope")
    return envelope.temporaryName
  }

  /// Gives it the date of two hours ago, as a copying program may.
  func age(_ name: String) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date().addingTimeInterval(-7200)], ofItemAtPath: outboxPath + "/" + name)
  }

  /// A dead process's name, on this machine and of this start of it.
  static func deadName() -> String {
    var name = TemporaryName(TemporaryName.next())!
    name.start += 1
    return String(decoding: name.bytes, as: UTF8.self)
  }
}

extension QueueInstant {
  /// So many seconds after a start of the system.
  static func test(_ seconds: Double, boot: UInt64 = 1) -> QueueInstant {
    QueueInstant(
      wall: 1_700_000_000_000_000_000 + Int64(seconds * 1e9), boot: boot,
      uptime: Int64(seconds * 1e9))
  }
}

struct SeededNumbers: RandomNumberGenerator {
  var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
