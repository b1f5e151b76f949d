import MailCore
import Testing

@testable import Maildir

struct RewrittenHeaderTests {
  private func digest(_ text: String) -> MessageDigest {
    Array(text.utf8).withUnsafeBytes { MessageDigest.of(serverBytes: $0, labelName: "X-Keywords") }
  }

  private func content(_ text: String, below header: HeaderHash) -> ContentHash? {
    RewrittenHeader(Array(text.utf8)).contentHash(below: header)
  }

  @Test(arguments: [
    "Subject: a\n\ntext\n", "Subject: a\r\n\r\ntext\r\n", "\nX-Mirror-Stub: 1; size=1\n\ntext\n",
    "X-Keywords: b\nSubject: a\n\ntext\n",
  ])
  func `a message is known below its own header, whatever the file's is`(text: String) {
    let message = digest(text)
    #expect(content(text, below: message.headerHash) == message.contentHash)
    #expect(content(text, below: HeaderHash(5)) != message.contentHash)
    if !text.hasPrefix("\n") {
      #expect(content("X-Spam: no\n" + text, below: message.headerHash) == message.contentHash)
      #expect(content("Subject: a\n\ntex\n", below: message.headerHash) != message.contentHash)
    }
  }

  @Test(arguments: ["Subject: a\n\n", "Subject: a\n", ""])
  func `no text is like another`(text: String) {
    #expect(content(text, below: digest(text).headerHash) == nil)
  }
}
