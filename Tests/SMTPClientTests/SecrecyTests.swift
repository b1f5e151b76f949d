import MailCore
import SASL
import SMTPClient
import SMTPWire
import Testing

@testable import Transport

/// What must not be seen on the wire, or in its log.
@Suite struct SecrecyTests: ScriptedSessions {
  @Test func `what a server asks at the log-in is not logged`() {
    let lines = Lines()
    var transcript = WireTranscript(log: WireLog(label: "x") { lines.add($0) })
    transcript.hidesTraffic = true
    Array("334 cj1zZWNyZXQ=\r\n235 2.7.0 ok\r\n".utf8).withUnsafeBytes { transcript.received($0) }
    transcript.hidesTraffic = false
    Array("334 shown\r\n".utf8).withUnsafeBytes { transcript.received($0) }
    let text = lines.all.joined(separator: "\n")
    #expect(!text.contains("cj1z") && text.contains("235 2.7.0 ok") && text.contains("334 shown"))
  }

  @Test func `no password leaves in plain text, and none with what came before TLS`() throws {
    let plain = ScriptedSMTPStream("S: 220 hi")
    plain.isEncrypted = false
    #expect(throws: SMTPError.plaintextRefused) { try session(plain).open() }
    let injected = ScriptedSMTPStream(
      """
      S: 220 hi
      C: EHLO [127.0.0.1]
      S: 250-hi
      S: 250 STARTTLS
      C: STARTTLS
      S: 220 go
      S: 250 AUTH PLAIN
      TLS
      """)
    injected.isEncrypted = false
    #expect(throws: SMTPError.startTLSInjected) {
      try session(injected) { $0.opening.wantsStartTLS = true }.open()
    }
    #expect(injected.isClosed)
  }

  private final class Lines: @unchecked Sendable {  // one thread
    private(set) var all: [String] = []
    func add(_ line: String) { all.append(line) }
  }
}
