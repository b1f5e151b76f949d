import IMAPClient
import IMAPWire
import MailCore
import MailTestKit
import Testing
import Transport

@testable import Outbox

/// Many copies are looked for and filed at once: one that goes wrong stands in no other's way.
struct SentFlightTests {
  private let server: ModelServer
  private let sent: IMAPSentMailboxes
  private let refusals = Locked<[String]>([])

  init() throws {
    let account = MailAccount(["INBOX"])
    account.add("Sent", attributes: ["\\Sent"])
    account.change("Sent") { $0.deliver(SampleMessage(token: "there", date: 1_700_000_000)) }
    var dialect = Dialect.modern
    let refusals = refusals
    dialect.refusing = { command in
      refusals.value.contains { command.text.contains($0) } ? "NO [CANNOT] not this one" : nil
    }
    server = try ModelServer(account, dialect)
    let port = server.port
    var options = IMAPSessionOptions(host: "127.0.0.1", port: port, user: "u")
    options.wantsStartTLS = false
    let session = IMAPSession(
      options: options,
      connect: {
        NetworkByteStream(
          try NetworkStream.connect(
            Endpoint(host: "127.0.0.1", port: port), security: .plain,
            before: .after(seconds: 10)), policy: TLSPolicy())
      }, credential: { Secret("pw") })
    try session.open()
    sent = try IMAPSentMailboxes(session)
  }

  private func holds(_ ids: String?...) throws -> [Bool?] {
    try sent.sentHolds(
      ids.map { SoughtMessage(messageID: $0, queuedSeconds: 1_700_000_000, goesToSelf: false) }
    ).map { try? $0.get() }
  }

  private func copy(_ text: String) -> SentCopyUpload {
    let bytes = Array(text.utf8)
    let left = Locked(bytes)
    return SentCopyUpload(
      size: UInt64(bytes.count + bytes.count { $0 == 10 }), internalDate: 1_700_000_000,
      read: { block in
        let piece = left.value.prefix(block.count)
        left.value.removeFirst(piece.count)
        block.replaceSubrange(..<piece.count, with: piece)
        return piece.count
      })
  }

  @Test func `one flight tells of all`() throws {
    server.forget()
    #expect(try holds("there@example.org", "missing@example.org", nil) == [true, false, false])
    #expect(server.received.count { $0.contains("EXAMINE") } == 1)
    #expect(try holds(nil, nil) == [false, false])
    sent.close()
  }

  @Test func `an id that the server cannot search for leaves the others told`() throws {
    refusals.value = ["odd@example.org"]
    #expect(
      try holds("there@example.org", "odd@example.org", "missing@example.org")
        == [true, nil, false])
    sent.close()
  }

  @Test func `copies arrive in one flight, each with an answer of its own`() throws {
    let copies = ["one", "two", "three"].map {
      copy("Message-ID: <\($0)@example.org>\nSubject: \($0)\n\nText of \($0)\n")
    }
    refusals.value = []
    #expect(try sent.append([]).isEmpty)
    let results = try sent.append(copies)
    #expect(results.allSatisfy { $0 == nil } && results.count == 3)
    #expect(
      try holds("one@example.org", "three@example.org", "four@example.org") == [true, true, false])
    let stored = server.account["Sent"]?.messages.map { String(decoding: $0.bytes, as: UTF8.self) }
    #expect(stored?.contains { $0.hasSuffix("Subject: two\r\n\r\nText of two\r\n") } == true)
    #expect(server.account["Sent"]?.messages.last?.flags == ["\\Seen"])
    refusals.value = ["APPEND"]
    #expect(try sent.append([copy("Subject: x\n\nx\n")])[0] is IMAPError)
    #expect(sent.isUsable && server.account["Sent"]?.messages.count == 4)
    sent.close()
  }
}
