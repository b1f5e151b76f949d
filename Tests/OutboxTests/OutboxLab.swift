import Foundation
import MailCore
import Maildir
import Queue
import Settings
import Testing

@testable import Outbox

/// A mail tree in a scratch directory, and the accounts that belong to it.
final class OutboxLab {
  let root = NSTemporaryDirectory() + "sending-\(UUID().uuidString)"
  var accounts = [
    OutboxLab.account("work", email: "alice@example.org", name: "Alice Example")
  ]

  init() throws {
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  static func account(_ name: String, email: String?, name realName: String? = nil)
    -> AccountSettings
  {
    AccountSettings(
      name: name, email: email, realName: realName,
      imap: ServerSettings(host: "localhost", port: 1, user: "x", secret: .none),
      smtp: ServerSettings(host: "localhost", port: 1, user: "x", secret: .none))
  }

  static let moment = MessageMoment(seconds: 1_700_000_000, zoneMinutes: 90)

  func accept(
    _ message: [UInt8], _ arguments: [String] = ["bob@example.net"], piece: Int = .max
  ) throws -> SubmissionEnvelope {
    let invocation = try SendmailInvocation(arguments)
    let spool = MessageSpool(directory: NSTemporaryDirectory())
    var reading = MessageReading(into: spool, endsAtDot: !invocation.ignoresDots)
    var rest = message[...]
    while !rest.isEmpty {
      try Array(rest.prefix(piece)).withUnsafeBytes { try reading.take($0) }
      rest = rest.dropFirst(piece)
    }
    try reading.finish()
    let acceptance = MessageAcceptance(
      invocation.request, accounts: accounts, root: root, localNames: ["alice", "root"],
      moment: Self.moment)
    return try acceptance.accept(spool).envelope
  }

  func accept(_ message: String, _ arguments: [String] = ["bob@example.net"]) throws
    -> SubmissionEnvelope
  {
    try accept(Array(message.utf8), arguments)
  }

  /// Where the files of an account's queued messages lie.
  func queued(_ account: String = "work") -> String { "\(root)/\(account)/.mirror/outbox/new/" }

  func entries(_ account: String = "work") throws -> [QueueEntry] {
    try OutboxReader.entries(account: root + "/" + account)
  }

  /// Of the first account, with a slash at its end.
  var outboxPath: String { "\(root)/\(accounts[0].name)/.mirror/outbox/" }

  func outbox(_ account: String = "work") throws -> Outbox {
    try #require(try Outbox.open(in: AccountTree.open(path: root + "/" + account, create: false)))
  }

  /// The frozen bytes.
  func bytes(_ id: QueueID, _ account: String = "work") throws -> [UInt8] {
    let outbox = try outbox(account)
    let reader = try outbox.message(of: #require(outbox.entries().first { $0.id == id }))
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 100_000)
    while case let count = try reader.read(into: &buffer), count > 0 { all += buffer[..<count] }
    #expect(reader.isIntact)
    return all
  }

  func text(_ id: QueueID, _ account: String = "work") throws -> String {
    String(decoding: try bytes(id, account), as: UTF8.self)
  }
}
