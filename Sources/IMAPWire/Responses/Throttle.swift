/// A server's request to slow down, however it words it.
package struct Throttle: Sendable, Equatable {
  /// What it asks to wait, where it says so; at least 1, at most an hour.
  package var seconds: Int?

  package init(seconds: Int? = nil) { self.seconds = seconds.map { min(max($0, 1), 3600) } }

  /// Reads `[THROTTLED]`, Exchange's `Request is throttled. Suggested Backoff Time: 299961
  /// milliseconds`, and the words that Yahoo and others use for it. An OK may carry it too (Gmail).
  package init?(code: ResponseCode?, text: String) {
    let words = Array(text.utf8.prefix(1024)).map { $0 >= 65 && $0 <= 90 ? $0 | 0x20 : $0 }
    let isNamed = Self.phrases.contains { words.contains($0.utf8) }
    guard code == .throttled || isNamed else { return nil }
    self.init(seconds: Self.backoff(in: words))
  }

  private static let phrases = [
    "[throttled]", "is throttled", "throttling", "rate limit", "too many requests",
    "request limit", "bandwidth limit", "quota exceeded for requests",
  ]

  private static func backoff(in words: [UInt8]) -> Int? {
    let key = Array("backoff time:".utf8)
    guard let found = words.firstRange(of: key) else { return nil }
    var value = 0
    var digits = 0
    for byte in words[found.upperBound...].drop(while: { $0 == UInt8(ascii: " ") }) {
      guard byte >= 48, byte <= 57, digits < 12 else { break }
      value = value * 10 + Int(byte - 48)
      digits += 1
    }
    guard digits > 0 else { return nil }
    return words.contains("millisecond".utf8) ? (value + 999) / 1000 : value
  }
}

extension TaggedResult {
  package var throttle: Throttle? { Throttle(code: code, text: text) }
}

extension [UInt8] {
  fileprivate func contains(_ needle: String.UTF8View) -> Bool {
    firstRange(of: Array(needle)) != nil
  }

  fileprivate func firstRange(of needle: [UInt8]) -> Range<Int>? {
    guard !needle.isEmpty, count >= needle.count else { return nil }
    return (0...(count - needle.count)).first { self[$0..<($0 + needle.count)] == needle[...] }
      .map { $0..<($0 + needle.count) }
  }
}
