import MailCore
import SASL
import SMTPClient
import SMTPWire
import Testing

@testable import Transport

/// Large messages go out in chunks (BDAT).
@Suite struct ChunkTests: ScriptedSessions {
  @Test func `chunks hold the message, whole and in order`() throws {
    let line = String(repeating: "x", count: 76) + "\n"
    let text = ".\n" + String(repeating: line, count: 40_000)
    let (session, stream) = try open(
      """
      C: MAIL FROM:<a@x.org>
      C: RCPT TO:<b@y.org>
      S: 250 ok
      S: 250 ok
      C: BDAT …
      S: 250 ok
      S: 250 ok
      S: 250 ok
      """)
    let size = UInt64(text.utf8.count + 40_001)
    var noted = false
    let outcome = try session.submit(plan(size: size), body: body(text, piece: 50_000)) {
      noted = true
      // The end is still here, whatever was announced.
      #expect(stream.bytes.count < Int(size))
    }
    guard case .accepted = outcome.result else {
      Issue.record("\(outcome)")
      return
    }
    #expect(noted)
    var rest = stream.bytes[...]
    var message: [UInt8] = []
    var headers: [String] = []
    while let end = rest.firstIndex(of: 10) {
      let line = String(decoding: rest[..<end], as: UTF8.self)
      rest = rest[(end + 1)...]
      guard line.hasPrefix("BDAT"), let count = Int(line.split { $0 == " " || $0 == "\r" }[1])
      else {
        continue
      }
      headers.append(line)
      message += rest.prefix(count)
      rest = rest.dropFirst(count)
    }
    #expect(headers.count == 3 && headers.last?.hasSuffix("LAST\r") == true)
    #expect(message == Array(text.replacing("\n", with: "\r\n").utf8))
    #expect(UInt64(message.count) == size)
  }

  @Test
  func `the bytes of a chunk leave in pieces, each with a deadline of its own, the last one noted`()
    throws
  {
    let text = String(repeating: String(repeating: "x", count: 76) + "\n", count: 30_000)
    let (session, stream) = try open(
      """
      C: MAIL FROM:<a@x.org>
      C: RCPT TO:<b@y.org>
      S: 250 ok
      S: 250 ok
      C: BDAT …
      S: 250 ok
      S: 250 ok
      S: 250 ok
      """)
    let size = UInt64(text.utf8.count + 30_000)
    var before = 0
    let outcome = try session.submit(plan(size: size), body: body(text, piece: 50_000)) {
      before = stream.bytes.count
      // All but the very end has left, so a slow line dies before there is anything to be unknown.
      #expect(
        String(decoding: stream.bytes.suffix(50), as: UTF8.self).allSatisfy {
          $0 == "x" || $0.isNewline
        })
    }
    guard case .accepted = outcome.result else {
      Issue.record("\(outcome)")
      return
    }
    #expect(stream.bytes.count - before <= 1024 && stream.bytes.count > before)
    #expect(stream.writes.allSatisfy { $0 <= 64 * 1024 })
  }

  @Test func `a line that dies before the last piece of a chunk is lost, not unknown`() throws {
    let text = String(repeating: String(repeating: "x", count: 76) + "\n", count: 20_000)
    let (session, stream) = try open(
      """
      C: MAIL FROM:<a@x.org>
      C: RCPT TO:<b@y.org>
      S: 250 ok
      S: 250 ok
      C: BDAT …
      S: 250 ok
      S: 250 ok
      S: 250 ok
      """)
    stream.diesBehind = 1_400_000
    let size = UInt64(text.utf8.count + 20_000)
    let outcome = try session.submit(plan(size: size), body: body(text, piece: 50_000)) {
      Issue.record("the end came")
    }
    guard case .lost = outcome.result else {
      Issue.record("\(outcome)")
      return
    }
  }
}
