import MailCore
import SASL
import Synchronization
import Testing

@testable import Transport

/// Collects what the log shows.
private final class Shown: Sendable {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }
  func log() -> WireLog {
    WireLog(label: "test") { line in self.lines.withLock { $0.append(line) } }
  }
}

struct WireLogTests {
  private func shown(
    _ log: (Shown) -> WireLog = { $0.log() }, _ body: (inout WireTranscript) -> Void
  ) -> [String] {
    let shown = Shown()
    var transcript = WireTranscript(log: log(shown))
    body(&transcript)
    return shown.all
  }

  private func received(_ text: String, pieces: Int) -> [String] {
    shown { transcript in
      let bytes = Array(text.utf8)
      for start in stride(from: 0, to: bytes.count, by: pieces) {
        bytes[start..<min(start + pieces, bytes.count)].withUnsafeBytes { transcript.received($0) }
      }
    }
  }

  @Test(arguments: [1, 2, 3, 5, 17, 10_000])
  func `lines are whole and literals left out, however they come`(pieces: Int) {
    let text =
      "* OK ready\r\n* 1 FETCH (UID 7 BODY[] {12}\r\nsecret\nbody\n)\r\na OK \u{1B}[31mdone\n"
    #expect(
      received(text, pieces: pieces) == [
        "test <- * OK ready", "test <- * 1 FETCH (UID 7 BODY[] {12} <literal left out>",
        "test <- )", "test <- a OK \\u{1b}[31mdone",
      ])
  }

  @Test func `long lines are cut, and their literals still left out`() {
    let long = "* " + String(repeating: "x", count: 5000) + " {4}\r\nbody\r\n* next\r\n"
    for pieces in [1, 999, 100_000] {
      let lines = received(long, pieces: pieces)
      #expect(lines.count == 3 && lines.allSatisfy { $0.utf8.count < 1200 })
      #expect(lines.first?.contains("more bytes>") == true)
      #expect(lines.last == "test <- * next")
    }
  }

  @Test func `sizes that are none leave nothing out`() {
    for text in ["{}", "{-1}", "{x}", "{99999999999999999999999}", "}", "{5"] {
      #expect(received("\(text)\r\nnext\r\n", pieces: 4).count == 2, "\(text)")
    }
    #expect(received("a {3+}\r\nabc\r\nb ~{2}\r\nxy\r\n", pieces: 100).count == 4)
  }

  @Test func `what is hidden is not shown`() {
    let lines = shown { transcript in
      transcript.hidesTraffic = true
      Array("AHRpbQB0YW5zdGFhZg==\r\n".utf8).withUnsafeBytes { transcript.sent($0, shownAs: nil) }
      Array("+ cmVhbG0=\r\na NO no\r\n".utf8).withUnsafeBytes { transcript.received($0) }
      transcript.hidesTraffic = false
      Array("a LOGIN tim hunter2\r\n".utf8).withUnsafeBytes {
        transcript.sent($0, shownAs: "a LOGIN tim <secret>")
      }
      Array("b NOOP\r\n".utf8).withUnsafeBytes { transcript.sent($0, shownAs: nil) }
    }
    #expect(
      lines == [
        "test -> <22 bytes hidden>", "test <- + <hidden>", "test <- a NO no",
        "test -> a LOGIN tim <secret>", "test -> b NOOP",
      ])
  }

  @Test(arguments: ["", "t", "ti", "tim", "\0tim\0"])
  func `a secret is cut out of any line, in plain and encoded`(before: String) {
    let encoded = String(
      decoding: Base64.encode(Array((before + "hunter2hunter").utf8)), as: UTF8.self)
    let lines = shown { shown in
      let log = shown.log()
      for secret in ["hunter2hunter", ""] {
        var mask = SecretMask()
        mask.hide(Secret(secret))
        log.hide(mask)
      }
      return log
    } _: { transcript in
      let text = "a NO hunter2hunter is wrong (\(before)hunter2hunter) \(encoded) hunter2\r\n"
      Array(text.utf8).withUnsafeBytes { transcript.received($0) }
    }
    #expect(lines.first?.hasPrefix("test <- a NO <secret> is wrong (") == true)
    #expect(lines.first?.hasSuffix(" hunter2") == true)
    // Not even the characters at either end, which hold bits of it.
    for start in encoded.indices where encoded[start...].count >= 3 {
      #expect(!lines.joined().contains(encoded[start...].prefix(3)))
    }
  }

  @Test func `a stream logs both directions and what TLS agreed on`() throws {
    let server = LoopbackServer { descriptor in
      LoopbackServer.sendAll(descriptor, "* OK ready\r\n")
      _ = LoopbackServer.receive(descriptor)
    }
    let shown = Shown()
    let stream = try connect(server.port, log: shown.log())
    _ = try readLine(stream)
    try send(stream, "a LOGOUT\r\n")
    #expect(shown.all == ["test <- * OK ready", "test -> a LOGOUT"])
  }
}
