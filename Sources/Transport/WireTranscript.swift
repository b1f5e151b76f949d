import SASL

/// One connection's side of the log: cuts both directions into lines and leaves literals out.
struct WireTranscript {
  private let log: WireLog
  private var incoming = LineShortener()
  private var outgoing = LineShortener()
  /// While true, sent lines and the server's challenges are not shown.
  var hidesTraffic = false

  init(log: WireLog) { self.log = log }

  func hide(_ mask: SecretMask) { log.hide(mask) }

  func note(_ text: String) { log.show("--", Array(text.utf8)) }

  mutating func sent(_ bytes: UnsafeRawBufferPointer, shownAs substitute: String?) {
    if let substitute {
      log.show("->", Array(substitute.utf8))
    } else if hidesTraffic {
      log.show("->", Array("<\(bytes.count) bytes hidden>".utf8))
    } else {
      outgoing.feed(bytes) { log.show("->", $0) }
    }
  }

  /// IMAP's and SMTP's, with which a server sends what the next answer is made from.
  private static let challengeMarks = ["+", "334"]

  mutating func received(_ bytes: UnsafeRawBufferPointer) {
    let hides = hidesTraffic
    incoming.feed(bytes) { line in
      guard hides, let mark = Self.challengeMarks.first(where: { line.starts(with: $0.utf8) })
      else {
        return log.show("<-", line)
      }
      log.show("<-", Array("\(mark) <hidden>".utf8))
    }
  }
}

/// Turns a byte stream into lines to show: bounded, without line ends, each literal as its size only.
struct LineShortener {
  static let lineLimit = 1000  // bytes

  private var line: [UInt8] = []
  private var dropped = 0
  private var literalLeft = 0

  mutating func feed(_ bytes: UnsafeRawBufferPointer, show: ([UInt8]) -> Void) {
    var index = 0
    while index < bytes.count {
      if literalLeft > 0 {
        let skipped = min(literalLeft, bytes.count - index)
        literalLeft -= skipped
        index += skipped
        continue
      }
      let byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: "\n") {
        finishLine(show)
      } else if line.count < Self.lineLimit {
        line.append(byte)
      } else {
        dropped += 1
        // The literal's size stands at the very end of a line.
        tail.append(byte)
        if tail.count > 64 { tail.removeFirst(32) }
      }
    }
  }

  private var tail: [UInt8] = []

  private mutating func finishLine(_ show: ([UInt8]) -> Void) {
    var end = line + tail
    if end.last == UInt8(ascii: "\r") { end.removeLast() }
    if dropped == 0, line.last == UInt8(ascii: "\r") { line.removeLast() }
    literalLeft = Self.literalSize(atEndOf: end) ?? 0
    if dropped > 0 { line += Array("… <\(dropped) more bytes>".utf8) }
    if literalLeft > 0 { line += Array(" <literal left out>".utf8) }
    show(line)
    line.removeAll(keepingCapacity: true)
    tail.removeAll(keepingCapacity: true)
    dropped = 0
  }

  // literal = "{" number ["+" / "-"] "}"; RFC 9051 §4.3
  static func literalSize(atEndOf line: [UInt8]) -> Int? {
    guard line.last == UInt8(ascii: "}"),
      let open = line.lastIndex(of: UInt8(ascii: "{"))
    else { return nil }
    var digits = line[(open + 1)...].dropLast()
    if digits.last == UInt8(ascii: "+") || digits.last == UInt8(ascii: "-") { digits.removeLast() }
    guard !digits.isEmpty, digits.count <= 18 else { return nil }
    var size = 0
    for digit in digits {
      guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
      size = size * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return size
  }
}
