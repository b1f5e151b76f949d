/// The lower-case letters of a file name, by which Dovecot marks keywords: a set of a–z.
package struct KeywordLetters: OptionSet, Hashable, Sendable {
  /// Bit 0 is `a`.
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let count = 26

  package init(index: Int) { rawValue = 1 << UInt32(index) }

  /// Places in the `dovecot-keywords` file, ascending.
  package var indices: some Sequence<Int> {
    let bits = rawValue
    return (0..<Self.count).lazy.filter { bits & (1 << UInt32($0)) != 0 }
  }
}
