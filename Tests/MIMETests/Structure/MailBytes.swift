import MIME

/// Bytes of a test's mail, and what the parsers make of them.
struct MailBytes {
  let bytes: [UInt8]

  init(_ text: String) { bytes = Array(text.utf8) }
  init(bytes: [UInt8]) { self.bytes = bytes }

  func read<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    bytes.withUnsafeBytes { body($0) }
  }

  func structure(_ limits: MIMELimits = .standard) -> MessageStructure {
    read { MessageStructure.parse($0, limits: limits) }
  }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// "multipart/mixed", "1 text/plain", … in document order.
  var outline: [String] {
    structure().parts.map { $0.section.isEmpty ? $0.type.name : $0.section + " " + $0.type.name }
  }

  var bodies: [String] { structure().parts.map { text($0.body) } }

  var fields: [String] {
    read { HeaderFields($0, in: 0..<$0.count) }.fields.map { text($0.name) + "=" + text($0.value) }
  }
}

/// Small steps of pseudo-random numbers, the same on every run.
struct Dice {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func roll(_ sides: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(sides))
  }
}
