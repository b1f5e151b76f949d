import Foundation
import MIME
import Testing

@testable import Outbox

@Suite struct RecodingTests {
  private static let longLine = "Grüße = " + String(repeating: "long ", count: 400) + "end "

  private func queued(_ message: String, in lab: OutboxLab) throws -> [UInt8] {
    try lab.bytes(lab.accept(message, ["-i", "bob@example.net"]).id)
  }

  /// The decoded content of each leaf, text as LF.
  private func contents(_ bytes: [UInt8]) -> [[UInt8]] {
    bytes.withUnsafeBytes { bytes in
      MessageStructure.parse(bytes).parts.filter { !$0.hasChildren }.map { part in
        var content: [UInt8] = []
        TransferDecoder.decode(
          UnsafeRawBufferPointer(rebasing: bytes[part.body]), part.encoding, into: &content)
        return Array(String(decoding: content, as: UTF8.self).replacing("\r\n", with: "\n").utf8)
      }
    }
  }

  private func expectShort(_ bytes: [UInt8]) {
    #expect(bytes.split(separator: 10).allSatisfy { $0.count <= 998 })
  }

  @Test func `long lines of a plain message are encoded, and nothing is lost`() throws {
    let lab = try OutboxLab()
    let body = Self.longLine + "\nshort\n\n.\nFrom x\n"
    let bytes = try queued("Subject: x\n\n" + body, in: lab)
    expectShort(bytes)
    #expect(contents(bytes) == [Array(body.utf8)])
    #expect(
      String(decoding: bytes, as: UTF8.self).contains(
        "Content-Transfer-Encoding: quoted-printable\n"))
  }

  private static func mixed(_ type: String = "multipart/mixed") -> String {
    """
    From: alice@example.org
    MIME-Version: 1.0
    Content-Type: \(type); boundary=b
    Content-Transfer-Encoding: 8bit

    preamble
    --b
    Content-Type: text/plain; charset=utf-8
    Content-Transfer-Encoding: 8bit

    \(longLine)
    two
    --b
    Content-Type: text/plain

    short part, kept as it is
    --b
    Content-Type: application/octet-stream
    Content-Transfer-Encoding: base64

    \(String(repeating: "QUJD", count: 600))
    --b
    Content-Type: message/rfc822

    Subject: inner
    Content-Type: text/html

    <p>\(String(repeating: "x", count: 1500))</p>
    --b--
    epilogue

    """
  }

  @Test func `only the parts that need it change`() throws {
    let lab = try OutboxLab()
    let bytes = try queued(Self.mixed(), in: lab)
    expectShort(bytes)
    #expect(contents(bytes) == contents(Array(Self.mixed().utf8)))
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.contains("--b\nContent-Type: text/plain\n\nshort part, kept as it is\n--b\n"))
    #expect(text.contains("\npreamble\n--b\n") && text.hasSuffix("\n--b--\nepilogue\n"))
    #expect(text.contains(String(repeating: "QUJD", count: 19) + "\n"))
  }

  @Test func `what is signed is refused, with the reason`() throws {
    let lab = try OutboxLab()
    #expect(throws: AcceptanceError.signedLongLines) {
      try queued(Self.mixed("multipart/signed"), in: lab)
    }
    #expect(try lab.entries().isEmpty)
  }

  @Test func `a long line between the parts is refused`() throws {
    let lab = try OutboxLab()
    let text = Self.mixed().replacing("epilogue", with: String(repeating: "e", count: 1200))
    #expect(throws: AcceptanceError.unclearStructure) { try queued(text, in: lab) }
  }

  @Test func `for a server without 8BITMIME every part is seven bits wide`() throws {
    let message = Array(
      """
      From: alice@example.org
      MIME-Version: 1.0
      Content-Type: multipart/mixed; boundary=b
      Content-Transfer-Encoding: 8bit

      --b
      Content-Type: text/plain; charset=utf-8
      Content-Transfer-Encoding: 8bit

      Grüße aus Köln
      --b
      Content-Type: text/plain; charset=utf-8
      Content-Description: Übersicht
      Content-Transfer-Encoding: 8bit

      日本語日本語日本語
      --b
      Content-Type: text/plain

      plain
      --b--

      """.utf8)
    let copy = try message.withUnsafeBytes { try SevenBitCopy($0, directory: "/tmp") }
    try copy.spool.withBytes { bytes in
      #expect(bytes.allSatisfy { $0 < 0x80 })
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.contains("Content-Transfer-Encoding: 7bit") && !text.contains("8bit"))
      #expect(contents(Array(bytes)) == contents(message))
      #expect(copy.wireSize == UInt64(bytes.count + bytes.count { $0 == 10 }))
    }
  }

  @Test func `quoted-printable and base64 bring back what went in, whatever it is`() {
    var state: UInt64 = 7
    for round in 0..<400 {
      let bytes = (0..<(round * 3)).map { _ -> UInt8 in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let alphabet: [UInt8] = [10, 32, 9, 46, 61, 65, 70, 0xC3, 0xA4, 0x7F, 0]
        return round % 2 == 0
          ? alphabet[Int(state >> 40) % alphabet.count] : UInt8(truncatingIfNeeded: state >> 33)
      }
      var quoted: [UInt8] = []
      bytes.withUnsafeBytes { TransferWriter.quotedPrintable($0) { quoted += $0 } }
      #expect(
        quoted.split(separator: 10).allSatisfy { $0.count <= 76 && $0.last != 32 && $0.last != 9 })
      #expect(quoted.allSatisfy { $0 == 10 || $0 == 9 || (32...126).contains($0) })
      var back: [UInt8] = []
      _ = quoted.withUnsafeBytes { TransferDecoder.decode($0, .quotedPrintable, into: &back) }
      #expect(back == bytes)
      // Again, from one endless line.
      let endless = Array(String(decoding: quoted, as: UTF8.self).replacing("=\n", with: "").utf8)
      var again: [UInt8] = []
      endless.withUnsafeBytes { TransferWriter.quotedPrintableAgain($0) { again += $0 } }
      #expect(again.split(separator: 10).allSatisfy { $0.count <= 76 })
      back = []
      _ = again.withUnsafeBytes { TransferDecoder.decode($0, .quotedPrintable, into: &back) }
      #expect(back == bytes)
      var encoded: [UInt8] = []
      bytes.withUnsafeBytes { TransferWriter.base64Text($0) { encoded += $0 } }
      #expect(encoded.split(separator: 10).allSatisfy { $0.count <= 76 })
      let letters = encoded.filter { $0 != 10 }
      again = []
      letters.withUnsafeBytes { TransferWriter.base64Again($0) { again += $0 } }
      #expect(again == encoded)
      back = []
      _ = encoded.withUnsafeBytes { TransferDecoder.decode($0, .base64, into: &back) }
      #expect(back == bytes.flatMap { $0 == 10 ? [13, 10] : [$0] })
    }
  }

  @Test func `a large part is encoded piece by piece`() {
    let line = [UInt8](repeating: 0xC3, count: 3_000_000)
    var largest = 0
    line.withUnsafeBytes {
      TransferWriter.quotedPrintable($0) { largest = max(largest, $0.count) }
      TransferWriter.base64Text($0) { largest = max(largest, $0.count) }
      TransferWriter.quotedPrintableAgain($0) { largest = max(largest, $0.count) }
    }
    #expect(largest > 0 && largest < 300_000)
  }

  @Test func `a base64 body ends with a line end, and what cannot be named anew is refused`() throws
  {
    let lab = try OutboxLab()
    let zeros = String(repeating: "QUJD", count: 600)
    let bytes = try queued(
      "Content-Type: image/png\nContent-Transfer-Encoding: base64\nMIME-Version: 1.0\n\n\(zeros)\n",
      in: lab)
    #expect(bytes.last == 10 && bytes.suffix(2).first != 10)
    for header in [
      "Content-Type: message/delivery-status", "Content-Transfer-Encoding: x-odd",
    ] {
      #expect(throws: AcceptanceError.unclearStructure) {
        try queued("\(header)\nMIME-Version: 1.0\n\n\(Self.longLine)\n", in: lab)
      }
    }
  }
}
