import Foundation
import MailTestKit
import Testing

/// A user who sends with a mail reader that saves copies of its own, and whose Sent mailbox both sides have.
struct SentDesk {
  let send: SendScenario
  let bob = SendScenario.newUser()

  init(smtp: String = "", server: (any MailTransferServer)? = nil) throws {
    send = try SendScenario(server: server, smtp: smtp)
    try append("Subject: old\nMessage-ID: <old@x.org>\n\nx\n")
    #expect(try send.mirror.pull().status == 0)
  }

  func message(_ subject: String, to recipient: String? = nil) -> String {
    "From: \(send.user)@example.org\nTo: \(recipient ?? "\(bob)@example.org")\nSubject: \(subject)\n"
      + "Message-ID: <\(UInt64.random(in: 0 ... .max))@reader.org>\nMIME-Version: 1.0\n"
      + "Date: Mon, 1 Jan 2024 00:00:00 +0000\n\nA text\nof \(subject)\n"
  }

  func queue(_ message: String) throws {
    let outcome = try send.sendmail(message, "-t")
    #expect(outcome.status == 0, "\(outcome.summary)")
  }

  /// As mail readers do: written in tmp, then named.
  func save(_ message: String, flags: String = "") throws {
    let name = "\(UInt32.random(in: 0 ... .max)).reader.host"
    let folder = send.mirror.account + "/Sent/"
    try Data(message.utf8).write(to: URL(fileURLWithPath: folder + "tmp/" + name))
    try FileManager.default.moveItem(
      atPath: folder + "tmp/" + name, toPath: folder + "cur/\(name):2,\(flags)S")
  }

  func append(_ text: String, to mailbox: String = "Sent", date: Date? = nil) throws {
    let bytes = Array(text.replacing("\n", with: "\r\n").utf8)
    try client().append(
      SampleMessage(
        bytes: bytes, date: Int64(date?.timeIntervalSince1970 ?? 1_700_000_000), flags: ["\\Seen"]),
      to: mailbox)
  }

  /// Whether a program can be shown another time than this machine's.
  static let canShiftClocks =
    (try? run(["unshare", "--time", "--boottime", "60", "true"]).status) == 0

  /// A push at a time when so many more minutes have passed since the machine was started.
  func pushLater(minutes: Int) throws -> Outcome {
    try run(
      ["unshare", "--time", "--boottime", "\(minutes * 60)"] + send.mirror.command(["push"]),
      environment: send.mirror.environment)
  }

  func client() throws -> IMAPTestClient { try send.server.dovecot.client(send.user) }

  func state() throws -> String? { try send.outbox().first?["state"] as? String }

  /// All but the message that was there from the beginning.
  func remote() throws -> [String] {
    try client().messages(in: "Sent").map { String(decoding: $0.bytes, as: UTF8.self) }
      .filter { !$0.contains("<old@x.org>") }
  }

  func files() -> [String] {
    ["new", "cur"].flatMap { part -> [String] in
      let folder = send.mirror.account + "/Sent/" + part
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return names.map { folder + "/" + $0 }
    }.filter { (try? text($0).contains("<old@x.org>")) == false }
  }

  func local() throws -> [String] { try files().map(text) }

  private func text(_ file: String) throws -> String {
    String(decoding: try readFile(file), as: UTF8.self)
  }

  static func subject(_ message: String) -> String {
    message.split(whereSeparator: \.isNewline).first { $0.hasPrefix("Subject:") }
      .map(String.init) ?? ""
  }

  /// One copy on the server and one here.
  func expectOne(
    _ subject: String, _ place: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let remote = try remote()
    let local = try local()
    #expect(remote.count == 1, "\(place): server \(remote)", sourceLocation: sourceLocation)
    #expect(local.count == 1, "\(place): here \(local)", sourceLocation: sourceLocation)
    for text in remote + local {
      #expect(
        text.contains("Subject: \(subject)"), "\(place): \(text)", sourceLocation: sourceLocation)
    }
  }

  /// A push and a pull that have nothing to do change nothing.
  func expectQuiet(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let before = snapshot()
    #expect(try send.push().status == 0, sourceLocation: sourceLocation)
    #expect(try send.mirror.pull().status == 0, sourceLocation: sourceLocation)
    #expect(before.changes(to: snapshot()) == [], sourceLocation: sourceLocation)
  }

  private func snapshot() -> TreeSnapshot {
    TreeSnapshot(send.mirror.account, leavingOut: Scenario.isBookkeeping)
  }
}
