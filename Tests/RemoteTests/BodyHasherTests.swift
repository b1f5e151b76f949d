import Testing

@testable import Remote

/// What counts as the same text, where headers and line ends may differ.
@Suite struct BodyHasherTests {
  private func hash(_ text: String, piece: Int = .max) -> BodyHash {
    hasher(text, piece: piece).value
  }

  private func hasher(_ text: String, piece: Int = .max) -> BodyHasher {
    var hasher = BodyHasher()
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      Array(rest.prefix(piece)).withUnsafeBytes { hasher.feed($0) }
      rest = rest.dropFirst(piece)
    }
    return hasher
  }

  private let text = "A: b\n c\n\none\n\ntwo\n"

  @Test(arguments: 1...20) func `where pieces are cut makes no difference`(piece: Int) {
    for form in [text, text.replacing("\n", with: "\r\n")] {
      #expect(hash(form, piece: piece) == hash(text))
      #expect(hasher(form, piece: piece).header == Array("A: b\n c\n\n".utf8))
    }
  }

  @Test func `header, kind of line ends, and line ends at the end do not count`() {
    for same in [
      "Bcc: x\n" + text, text + "\n\n", String(text.dropLast()), "\none\n\ntwo\n",
      text.replacing("\n", with: "\r\n"),
    ] {
      #expect(hash(same) == hash(text), "\(same)")
    }
  }

  @Test func `everything else does`() {
    for other in [
      "A: b\n\none\ntwo\n", "A: b\n\none\n\ntwo \n", "A: b\n\none\n\ntw\n", "A: b\n\n",
      "A: b\none\n\ntwo\n", "A: b\n\n\none\n\ntwo\n",
    ] {
      #expect(hash(other) != hash(text), "\(other)")
    }
  }
}
