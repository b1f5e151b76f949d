import Foundation
import Testing

@testable import MirrorCLI

@Suite struct OwnCopiesTests {
  @Test func `a copy of what was sent is known where copies come`() {
    let copies = OwnCopies(mailboxes: ["Sent"], messageIDs: ["own@example.org"])
    #expect(copies.contain(message("own@example.org", in: "Sent")))
    #expect(!copies.contain(message("other@example.org", in: "Sent")))
    #expect(!copies.contain(message(nil, in: "Sent")))
    #expect(!copies.contain(message("own@example.org", in: "INBOX")), "mail to oneself arrives")
  }

  private func message(_ id: String?, in mailbox: String) -> ArrivedEvent {
    ArrivedEvent(
      account: "a", mailbox: mailbox, path: "/m", id: 1, messageID: id, from: "", subject: "",
      date: Date(timeIntervalSince1970: 0), unread: true)
  }
}
