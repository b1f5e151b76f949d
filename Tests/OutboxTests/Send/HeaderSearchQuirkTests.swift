import IMAPClient
import IMAPWire
import MailCore
import MailTestKit
import Testing
import Transport

@testable import Outbox

/// `no-header-search`: where SEARCH HEADER fails, as Yahoo's does, a copy of what was sent is found by fetching.
struct HeaderSearchQuirkTests {
  @Test(arguments: [(["no-header-search"], true), ([], false)])
  func `no-header-search: a sent message is found by fetching what is recent`(
    quirks: [String], isFound: Bool
  ) throws {
    let account = MailAccount(["INBOX"])
    account.add("Sent", attributes: ["\\Sent"])
    account.change("Sent") {
      $0.deliver(SampleMessage(token: "other", date: 1_700_000_000))
      $0.deliver(SampleMessage(token: "sought", date: 1_700_000_000))
    }
    var yahoo = Dialect(capabilities: ["SPECIAL-USE", "LIST-EXTENDED"])
    yahoo.refusing = { command in
      command.name == "UID SEARCH" && command.text.uppercased().contains("HEADER")
        ? "NO [SERVERBUG] SEARCH Server error - Please try again later" : nil
    }
    let server = try ModelServer(account, yahoo)
    var options = IMAPSessionOptions(host: "127.0.0.1", port: server.port, user: "u")
    var unknown: [String] = []
    options.quirks = QuirkSettings(names: quirks, unknown: &unknown)
    options.wantsStartTLS = false
    let session = IMAPSession(
      options: options,
      connect: {
        NetworkByteStream(
          try NetworkStream.connect(
            Endpoint(host: "127.0.0.1", port: server.port), security: .plain,
            before: .after(seconds: 10)), policy: TLSPolicy())
      }, credential: { Secret("pw") })
    try session.open()
    let sent = try IMAPSentMailboxes(session)
    defer { sent.close() }
    func holds(_ id: String) throws -> Bool {
      try sent.sentHolds([
        SoughtMessage(messageID: id, queuedSeconds: 1_700_000_000, goesToSelf: false)
      ])[0].get()
    }
    if isFound {
      #expect(try holds("sought@example.org"))
      #expect(try !holds("another@example.org"))
    } else {
      #expect(throws: IMAPError.self, "or this test shows nothing") {
        try holds("sought@example.org")
      }
    }
  }
}
