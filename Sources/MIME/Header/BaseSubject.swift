/// The subject without what replies and forwards put around it (RFC 5256 §2.1, with the prefixes of
/// many languages).
package enum BaseSubject {
  /// Strips prefixes, list tags and `(fwd)` repeatedly, and makes one blank of several.
  ///
  /// As RFC 5256 has it, a tag such as `[list]` goes too unless nothing else is left. The base keeps
  /// its letters; compare `lowercased()`. It may be empty.
  package static func normalise(_ subject: String) -> (base: String, isReplyOrForward: Bool) {
    var text = SubjectText(subject)
    text.strip()
    return (text.base, text.isReplyOrForward)
  }

  /// The subject without `Re:`, `Fw:` and their like in any language; list tags stay, each once. As it stands where
  /// nothing else is in it.
  package static func withoutPrefixes(_ subject: String) -> String {
    let hints: Set<UInt8> = [ASCII.colon, ASCII.openParenthesis, 0xEF]
    guard subject.utf8.contains(where: hints.contains) else { return subject }
    var text = SubjectText(subject)
    let tags = text.stripKeepingTags()
    guard text.isReplyOrForward, !text.base.isEmpty else { return subject }
    return text.base.hasPrefix(tags) ? text.base : tags + text.base
  }
}

/// A subject that is being stripped from both ends.
struct SubjectText {
  private let bytes: [UInt8]
  private var start = 0
  private var end: Int
  private(set) var isReplyOrForward = false

  init(_ subject: String) {
    bytes = Self.withSingleBlanks(subject)
    end = bytes.count
  }

  var base: String { String(decoding: bytes[start..<end], as: UTF8.self) }

  mutating func strip() {
    repeat {
      stripTrailers()
      while stripLeader() || stripTags() {}
    } while unwrapForward()
  }

  /// Strips prefixes and `(fwd)`; returns the first tags that stood before a prefix, with a blank after them.
  mutating func stripKeepingTags() -> String {
    var tags = 0..<0
    repeat {
      stripTrailers()
      var first = skipBlanks(start)
      while stripLeader() {
        var last = first
        while let next = tagEnd(last) { last = skipBlanks(next) }
        if tags.isEmpty { tags = first..<last }
        first = start
      }
    } while unwrapForward()
    return String(decoding: bytes[tags], as: UTF8.self)
  }

  /// Blanks of any kind (also U+00A0 and U+3000) become single spaces; none stay at the ends.
  private static func withSingleBlanks(_ subject: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(subject.utf8.count)
    for scalar in subject.unicodeScalars {
      if scalar.value <= 0x20 || scalar.value == 0xA0 || scalar.value == 0x3000 {
        if let last = bytes.last, last != ASCII.space { bytes.append(ASCII.space) }
      } else {
        bytes.appendScalar(scalar.value)
      }
    }
    if bytes.last == ASCII.space { bytes.removeLast() }
    return bytes
  }

  private func skipBlanks(_ place: Int) -> Int {
    var place = place
    while place < end, bytes[place] == ASCII.space { place += 1 }
    return place
  }

  /// subj-trailer = "(fwd)" / WSP
  private mutating func stripTrailers() {
    let mark = Array("(fwd)".utf8)
    while end > start {
      if bytes[end - 1] == ASCII.space {
        end -= 1
      } else if end - start >= mark.count,
        bytes[(end - mark.count)..<end].lazy.map(ASCII.lowered).elementsEqual(mark)
      {
        end -= mark.count
        isReplyOrForward = true
      } else {
        return
      }
    }
  }

  /// subj-leader = (*subj-blob subj-refwd) / WSP, where
  /// subj-refwd = ("re" / "fw" ["d"] / …) *WSP [subj-blob] ":"
  private mutating func stripLeader() -> Bool {
    var place = skipBlanks(start)
    while let behind = tagEnd(place) { place = skipBlanks(behind) }
    guard let behind = prefixEnd(place) else { return false }
    start = skipBlanks(behind)
    isReplyOrForward = true
    return true
  }

  private func prefixEnd(_ start: Int) -> Int? {
    guard var place = SubjectPrefixes.end(of: bytes, from: start, to: end) else { return nil }
    place = skipBlanks(place)
    place = skipBlanks(tagEnd(place) ?? counterEnd(place))
    if place < end, bytes[place] == ASCII.colon { return place + 1 }
    // The colon of East Asian typography, U+FF1A.
    let isWide = end - place >= 3 && bytes[place..<place + 3].elementsEqual([0xEF, 0xBC, 0x9A])
    return isWide ? place + 3 : nil
  }

  /// `Re(2):`, `Re^2:`, `Re*2:`, `Re2:`
  private func counterEnd(_ start: Int) -> Int {
    var place = start
    let opening = place < end ? bytes[place] : 0
    if opening == ASCII.openParenthesis || opening == UInt8(ascii: "^")
      || opening == UInt8(ascii: "*")
    {
      place += 1
    }
    let digits = place
    while place < end, place - digits < 4, ASCII.isDigit(bytes[place]) { place += 1 }
    guard place > digits else { return start }
    guard opening == ASCII.openParenthesis else { return place }
    return place < end && bytes[place] == ASCII.closeParenthesis ? place + 1 : start
  }

  /// Behind a tag that opens at `start`. subj-blob = "[" *BLOBCHAR "]" *WSP; no bracket within.
  private func tagEnd(_ start: Int) -> Int? {
    guard start < end, bytes[start] == UInt8(ascii: "[") else { return nil }
    var place = start + 1
    while place < end, bytes[place] != UInt8(ascii: "["), bytes[place] != UInt8(ascii: "]") {
      place += 1
    }
    return place < end && bytes[place] == UInt8(ascii: "]") ? place + 1 : nil
  }

  /// Strips all tags at once, so that many of them don't take long; never the last thing there is.
  private mutating func stripTags() -> Bool {
    let before = start
    while let behind = tagEnd(start) {
      let next = skipBlanks(behind)
      guard next < end else { break }
      start = next
    }
    return start > before
  }

  /// subj-fwd = "[fwd:" subject "]"
  private mutating func unwrapForward() -> Bool {
    let mark = Array("[fwd:".utf8)
    guard end - start > mark.count, bytes[end - 1] == UInt8(ascii: "]"),
      bytes[start..<start + mark.count].lazy.map(ASCII.lowered).elementsEqual(mark)
    else { return false }
    start = skipBlanks(start + mark.count)
    end -= 1
    if start > end { start = end }
    isReplyOrForward = true
    return true
  }
}
