import Foundation
import MailTestKit
import Testing

/// An account that exists only in memory, pulled.
final class GmailStage {
  static let trash = "[Gmail]/Trash"
  static let all = "[Gmail]/All Mail"

  let server: ModelServer
  let account: MailAccount
  let mirror: MirrorProgram
  let reader: Reader
  /// Else its folder is only where messages wait to be archived.
  private let mirrorsAll: Bool
  let refusals = Locked<[(name: String, part: String, words: String)]>([])

  init(
    sync: String = "", without: Set<String> = [],
    _ change: (inout LabelSettings) -> Void = { _ in }
  ) throws {
    var dialect = Dialect.gmail
    dialect.capabilities.subtract(without)
    dialect.labels.lastLabel = .deleteForever
    change(&dialect.labels)
    let refusals = refusals
    dialect.refusing = { command in
      refusals.value.first {
        command.name == $0.name && ($0.part.isEmpty || command.text.contains($0.part))
      }?.words
    }
    account = MailAccount(["INBOX"])
    account.add("Work")
    account.add("Later")
    account.add("[Gmail]", attributes: ["\\HasChildren", "\\Noselect"])
    for (name, use) in [
      ("All Mail", "All"), ("Drafts", "Drafts"), ("Sent Mail", "Sent"), ("Starred", "Flagged"),
      ("Spam", "Junk"), ("Trash", "Trash"),
    ] {
      account.add("[Gmail]/\(name)", attributes: ["\\HasNoChildren", "\\\(use)"])
    }
    for number in 0..<6 {
      account.deliver(SampleMessage(token: "m\(number)"), labelled: ["INBOX"])
    }
    for number in 0..<4 {
      account.deliver(SampleMessage(token: "b\(number)"), labelled: ["INBOX", "Work"])
    }
    account.deliver(SampleMessage(token: "old"), labelled: [Self.all])
    account.deliver(SampleMessage(token: "bin"), labelled: [Self.trash])
    server = try ModelServer(account, dialect)
    var settings = AccountSettings(port: server.port, user: "u")
    settings.sync = sync
    mirrorsAll = sync.contains(Self.all)
    mirror = try MirrorProgram(settings)
    reader = Reader(mirror)
    let outcome = try mirror.pull()
    #expect(outcome.ending == .exited(0), "\(outcome.summary)")
    server.forget()
  }

  func local(_ token: String, in folder: String? = nil) throws -> LocalMessage {
    try #require(try mirror.tree().message(with: "<\(token)@", in: folder))
  }

  @discardableResult
  func push(_ status: Int32 = 0, location: SourceLocation = #_sourceLocation) throws -> Outcome {
    let outcome = try mirror.run(["push"])
    #expect(outcome.ending == .exited(status), "\(outcome.summary)", sourceLocation: location)
    return outcome
  }

  /// But for All Mail.
  func places(_ token: String) -> [String] {
    account.mailboxes.filter { $0.name != Self.all }.flatMap { box in
      box.messages.filter { contains($0.bytes, Array("<\(token)@".utf8)) }.map { _ in box.name }
    }
  }

  func isArchived(_ token: String) -> Bool {
    account[Self.all]?.messages.contains {
      contains($0.bytes, Array("<\(token)@".utf8))
    } ?? false
  }

  func message(_ token: String, in name: String) -> ModelMessage? {
    account[name]?.messages.first { contains($0.bytes, Array("<\(token)@".utf8)) }
  }

  /// Another client takes a message out of a mailbox.
  func takeOut(_ token: String, of name: String) {
    guard let uid = message(token, in: name)?.uid else { return }
    account.change(name) { $0.expunge(uid) }
  }

  /// The program is cut off for good when the server's answer to such a command is out.
  func killPush(behind name: String, location: SourceLocation = #_sourceLocation) throws {
    let isDead = Locked(false)
    server.alter { command, replies in
      if isDead.value { return [.hangUp] }
      if command.name == name { isDead.value = true }
      return replies
    }
    let outcome = try mirror.run(["push"])
    #expect(isDead.value && outcome.status != 0, "\(outcome.summary)", sourceLocation: location)
    server.alter(nil)
  }

  func copy(_ message: LocalMessage, to folder: String, as name: String) throws {
    try reader.deliver(message.raw, name: name, to: folder, flags: message.flags)
  }

  func deliver(_ token: String, to folder: String, keywords: String = "", flags: String = "S")
    throws
  {
    let line = keywords.isEmpty ? "" : "X-Keywords: \(keywords)\n"
    try reader.deliver(
      Array(line.utf8) + SampleMessage(token: token).bytes.filter { $0 != 13 },
      name: "17.1_\(token).host", to: folder, flags: flags)
  }

  /// Both directions rest, no body went over the wire, nothing was stored that Gmail takes for something else, and
  /// every message that was ever here is still somewhere.
  func expectSettled(
    without gone: Set<String> = [], location: SourceLocation = #_sourceLocation
  ) throws {
    let stored = server.server.received(named: ["STORE"]).filter { $0.contains("\\Deleted") }
    #expect(gone.isEmpty == stored.isEmpty, "\(stored)", sourceLocation: location)
    for _ in 0..<2 { try mirror.pull() }
    server.forget()
    try push(location: location)
    #expect(server.server.changingCommands == [], sourceLocation: location)
    try mirror.pull()
    #expect(server.server.bodyFetches == [], sourceLocation: location)
    let tree = try mirror.tree()
    if !mirrorsAll { #expect(tree[Self.all].isEmpty, sourceLocation: location) }
    for box in account.mailboxes where box.isSelectable && tree.folders.contains(box.name) {
      if box.name == Self.all && !mirrorsAll { continue }
      let tokens = Set(box.messages.map { Self.token($0.bytes) })
      #expect(
        tokens.count == box.messages.count, "doubled in \(box.name)", sourceLocation: location)
      #expect(
        tree[box.name].map { Self.token($0.raw) }.sorted() == tokens.sorted(), "\(box.name)",
        sourceLocation: location)
    }
    let known = Set(account.mailboxes.flatMap(\.messages).map { Self.token($0.bytes) })
    let all = (0..<6).map { "m\($0)" } + (0..<4).map { "b\($0)" } + ["old", "bin"]
    #expect(Set(all).subtracting(known) == gone, sourceLocation: location)
  }

  private static func token(_ bytes: [UInt8]) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let start = text.range(of: "Message-ID: <"),
      let end = text[start.upperBound...].firstIndex(of: "@")
    else { return "?" }
    return String(text[start.upperBound..<end])
  }
}

/// Archiving, as a person does it.
extension GmailStage {
  func archive(_ token: String) throws {
    #expect(try mirror.run(["index"]).status == 0)
    let outcome = try mirror.run(["archive", "id:\(token)@example.org"])
    #expect(outcome.status == 0, "\(outcome.summary)")
  }

  func count(_ token: String) throws -> Int { try mirror.tree().count(of: "<\(token)@") }

  func expectNothingThrownAway(location: SourceLocation = #_sourceLocation) {
    #expect(
      account[Self.trash]?.messages.count == 1, "more than “bin” is in Trash",
      sourceLocation: location)
  }
}
