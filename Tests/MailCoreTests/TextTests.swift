import MailCore
import Testing

struct TextTests {
  @Test func `nothing in a text drives the terminal`() {
    let nasty = "a\u{1B}[31mb\u{9B}2J\u{7F}\r\n\t\u{202E}c\u{200B}\u{2066}"
    let shown = nasty.visible
    #expect(
      shown.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
    #expect(!shown.unicodeScalars.contains("\u{202E}"))
    #expect("Grüße, 世界".visible == "Grüße, 世界")
  }

  @Test func `a secret never prints itself`() {
    let secret = Secret("hunter2")
    #expect(!"\(secret) \(String(reflecting: secret)) \([secret])".contains("hunter2"))
    var dumped = ""
    dump(secret, to: &dumped)
    #expect(!dumped.contains("hunter2"))
  }

  @Test func `INBOX has one spelling`() {
    #expect(MailboxName("inbox", delimiter: "/").isInbox)
    #expect(MailboxName("InBox/Sub", delimiter: "/").text == "INBOX/Sub")
    #expect(MailboxName("inboxes", delimiter: "/").text == "inboxes")
    #expect(MailboxName("a//b", delimiter: "/").levels == ["a", "", "b"])
  }

  @Test func `the worse exit status wins`() {
    #expect(ExitStatus.inPart.combined(with: .unreachable) == .unreachable)
    #expect(ExitStatus.unreachable.combined(with: .refused) == .refused)
    #expect(ExitStatus.done.combined(with: .inPart) == .inPart)
  }
}
