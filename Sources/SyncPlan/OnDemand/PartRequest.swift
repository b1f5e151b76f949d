/// One part of a message that a person asked for, and what the stub tells of it.
package struct PartRequest: Sendable, Hashable {
  package let section: String
  /// Bytes of it as the message transfers them.
  package let octets: Int64
  package let isBase64: Bool

  package init(section: String, octets: Int64, isBase64: Bool) {
    self.section = section
    self.octets = octets
    self.isBase64 = isBase64
  }

  /// Whether all of the part may have come with so many bytes.
  ///
  /// - Parameter isDecoded: the server has undone base64: then its lines, each of one length but for the last, must come
  ///   to the octets.
  package func mayBe(_ count: Int, isDecoded: Bool) -> Bool {
    guard isDecoded else { return Int64(count) == octets }
    let letters = (Int64(count) + 2) / 3 * 4
    let ends = octets - letters
    guard ends >= 0, ends % 2 == 0 else { return false }
    // The last line may lack its end, or an empty one may follow.
    return (-1...1).contains { Self.canBe(letters, in: ends / 2 + $0) }
  }

  /// RFC 2045 §6.8 allows 76 letters; of long lines there are too few to prove anything.
  private static let longestLine: Int64 = 80

  private static func canBe(_ letters: Int64, in lines: Int64) -> Bool {
    guard lines > 0 else { return letters == 0 }
    let length = max(4, ((letters + lines - 1) / lines + 3) / 4 * 4)
    return length <= longestLine && (letters + length - 1) / length == lines
  }
}
