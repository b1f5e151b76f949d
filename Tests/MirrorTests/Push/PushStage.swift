import Foundation
import MailTestKit
import Testing

/// An account that exists only in memory, pulled.
final class PushStage {
  let server: ModelServer
  let account: MailAccount
  let mirror: MirrorProgram
  let reader: Reader

  /// Commands that are refused from now on, with these words.
  let refusals = Locked<[(name: String, part: String, words: String)]>([])

  /// - Parameter more: adds to the account before it is pulled.
  init(
    _ dialect: Dialect, count: Int = 6, sync: String = "",
    more: (MailAccount) throws -> Void = { _ in }
  ) throws {
    var dialect = dialect
    let refusals = refusals
    dialect.refusing = { command in
      refusals.value.first {
        command.name == $0.name && ($0.part.isEmpty || command.text.contains($0.part))
      }?.words
    }
    account = MailAccount(["INBOX"])
    account.add("Work")
    account.add("Drafts", attributes: ["\\Drafts"])
    account.add("Trash", attributes: ["\\Trash"])
    if dialect.has("X-GM-EXT-1") { account.add(Self.allMail, attributes: ["\\All"]) }
    for number in 0..<count {
      account.deliver(SampleMessage(token: "m\(number)"), labelled: ["INBOX"])
    }
    try more(account)
    server = try ModelServer(account, dialect)
    var settings = AccountSettings(port: server.port, user: "u")
    settings.sync = sync
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
  func push(
    _ status: Int32 = 0, _ arguments: String..., location: SourceLocation = #_sourceLocation
  ) throws -> Outcome {
    let outcome = try mirror.run(["push"] + arguments)
    #expect(outcome.ending == .exited(status), "\(outcome.summary)", sourceLocation: location)
    return outcome
  }

  static let allMail = "[Gmail]/All Mail"

  func places(_ token: String) -> [String] {
    account.mailboxes.filter { $0.name != Self.allMail }.flatMap { box in
      box.messages.filter { contains($0.bytes, Array("<\(token)@".utf8)) }.map { _ in box.name }
    }
  }

  func flags(_ token: String) -> Set<String> {
    account.mailboxes.flatMap(\.messages).first {
      contains($0.bytes, Array("<\(token)@".utf8))
    }?.flags ?? []
  }

  func deliver(_ token: String, to folder: String, written: Int64 = 1_600_000_000) throws {
    try reader.deliver(
      SampleMessage(token: token, written: written).bytes.filter { $0 != 13 },
      name: "17.1_\(token).host", to: folder)
  }

  /// A message without a Message-ID, called `fresh`: where a server changes what it takes, nothing tells it.
  func deliverNameless(to folder: String, name: String = "17.1_fresh.host") throws {
    try reader.deliver(
      Array("From: a@example.org\nSubject: fresh\n\nno name <fresh@example.org>\n".utf8),
      name: name, to: folder)
  }

  /// The program is cut off for good when the server is through with such a command, as if it had been killed there.
  func killPush(at name: String, location: SourceLocation = #_sourceLocation) throws {
    let isDead = Locked(false)
    server.alter { command, replies in
      if command.name == name { isDead.value = true }
      return isDead.value ? [.hangUp] : replies
    }
    let outcome = try mirror.run(["push"])
    #expect(isDead.value && outcome.status != 0, "\(outcome.summary)", sourceLocation: location)
    server.alter(nil)
  }

  func remote(_ token: String, in mailbox: String) -> ModelMessage? {
    account[mailbox]?.messages.first { contains($0.bytes, Array("<\(token)@".utf8)) }
  }

  /// Messages in a mailbox that hold this text.
  func count(of text: String, in mailbox: String) -> Int {
    account[mailbox]?.messages.count { contains($0.bytes, Array(text.utf8)) } ?? 0
  }

  func makeFolder(_ name: String) throws {
    for part in ["tmp", "new", "cur"] {
      try FileManager.default.createDirectory(
        atPath: "\(mirror.account)/\(name)/\(part)", withIntermediateDirectories: true)
    }
  }

  var changes: [String] { server.server.changingCommands }

  /// Two syncs later each of these messages is in its mailbox and in its folder, and nowhere else on the server.
  func expectOnce(_ places: [String: String], location: SourceLocation = #_sourceLocation) throws {
    for _ in 0..<2 { _ = try mirror.run(["sync", "--no-index"]) }
    for (token, place) in places {
      #expect(self.places(token) == [place], "\(token)", sourceLocation: location)
      _ = try local(token, in: place)
    }
    try expectSettled(location: location)
  }

  /// Both directions rest, and the tree shows what the server has.
  func expectSettled(location: SourceLocation = #_sourceLocation) throws {
    for _ in 0..<2 { try mirror.pull() }
    server.forget()
    try push(location: location)
    #expect(server.server.changingCommands == [], sourceLocation: location)
    try mirror.pull()
    #expect(server.server.bodyFetches == [], sourceLocation: location)
    let tree = try mirror.tree()
    for box in account.mailboxes where box.name != Self.allMail {
      #expect(
        tree[box.name].count == box.messages.count, "\(box.name)", sourceLocation: location)
    }
  }
}
