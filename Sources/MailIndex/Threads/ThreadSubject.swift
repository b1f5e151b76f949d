/// What a normalised subject (prefixes of replies and forwards gone) is to threads.
struct ThreadSubject {
  /// Lower case, runs of blanks as one space; empty where the subject joins nothing.
  let joining: [UInt8]
  /// Tells topics apart where an id is suspected of being junk. What stands before the last colon is
  /// left out: calendars answer "Accepted: Lunch" and "Declined: Lunch", and prefixes of languages
  /// that nobody listed look the same.
  let topic: [UInt8]

  init(base: String) {
    let folded = Self.folded(base)
    joining = Self.isTrivial(folded) ? [] : folded
    var start = 0
    for place in folded.indices.dropLast(2)
    where folded[place] == UInt8(ascii: ":") && folded[place + 1] == UInt8(ascii: " ") {
      start = place + 2
    }
    topic = Array(folded[start...])
  }

  /// Subjects beyond this length differ in their first bytes or not at all.
  private static let longest = 1000

  private static func folded(_ text: String) -> [UInt8] {
    let isASCII = text.utf8.prefix(longest).allSatisfy { $0 < 0x80 }
    let bytes = isASCII ? Array(text.utf8.prefix(longest)) : Array(text.lowercased().utf8)
    var result: [UInt8] = []
    result.reserveCapacity(min(bytes.count, longest))
    for byte in bytes.prefix(longest) {
      if byte <= 0x20 {
        if let last = result.last, last != 0x20 { result.append(0x20) }
      } else {
        result.append(byte &- 65 < 26 ? byte | 0x20 : byte)
      }
    }
    if result.last == 0x20 { result.removeLast() }
    return result
  }

  /// A subject with less than two characters that are words, or one that means that there is none.
  private static func isTrivial(_ folded: [UInt8]) -> Bool {
    var letters: [UInt8] = []
    var wide = 0
    for byte in folded {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        letters.append(byte)
      // The first byte of each character beyond ASCII, but for the signs of Latin-1. One Han character is a word.
      case 0xC3...: wide += 1
      default: break
      }
    }
    return letters.count + 2 * wide < 2 || wide == 0 && none.contains(letters)
  }

  /// What mail programs write where a subject was left out.
  private static let none: Set<[UInt8]> = Set(
    [
      "no subject", "none", "untitled", "kein betreff", "ohne betreff", "sans objet", "sin asunto",
      "nessun oggetto", "geen onderwerp",
    ].map { Array($0.utf8).filter { $0 != 0x20 } })
}
