import SafeHTML

/// Domains that are made to be taken for others.
package enum LookalikeDomain {
  /// The known domain that this one could be taken for; nil where it is itself known or like none.
  ///
  /// The same name below another country's code is the same firm more often than not, and so are names that differ in a
  /// number: both count as no likeness.
  package static func imitated(by domain: String, known: [String]) -> String? {
    let own = Organisation.domain(of: domain)
    guard !known.contains(own) else { return nil }
    let shown = HostName(own).unicode
    let ownSkeleton = skeleton(shown)
    for other in known where isLike(shown, ownSkeleton, HostName(other).unicode) { return other }
    return nil
  }

  private static func isLike(_ shown: String, _ ownSkeleton: String, _ other: String) -> Bool {
    if ownSkeleton == skeleton(other) { return shown != other }
    let (name, ending) = parts(shown)
    let (otherName, otherEnding) = parts(other)
    guard ending == otherEnding, name != otherName, min(name.count, otherName.count) >= 5 else {
      return false
    }
    return differInOne(Array(name), Array(otherName))
  }

  /// `example`, `co.uk`.
  private static func parts(_ domain: String) -> (name: Substring, ending: Substring) {
    guard let dot = domain.firstIndex(of: ".") else { return (domain[...], "") }
    return (domain[..<dot], domain[domain.index(after: dot)...])
  }

  /// Whether one letter is another, missing, too many, or has changed places with its neighbour.
  static func differInOne(_ left: [Character], _ right: [Character]) -> Bool {
    guard abs(left.count - right.count) <= 1, left != right else { return false }
    let head = zip(left, right).prefix { $0 == $1 }.count
    let tail = min(
      zip(left.reversed(), right.reversed()).prefix { $0 == $1 }.count,
      min(left.count, right.count) - head)
    let restLeft = left[head..<(left.count - tail)]
    let restRight = right[head..<(right.count - tail)]
    switch (restLeft.count, restRight.count) {
    case (1, 1): return !(restLeft.allSatisfy(\.isNumber) && restRight.allSatisfy(\.isNumber))
    case (0, 1), (1, 0): return !(restLeft + restRight).allSatisfy { $0.isNumber || $0 == "-" }
    case (2, 2): return restLeft.elementsEqual(restRight.reversed())
    default: return false
    }
  }

  /// Letters that look alike become one (after UTS 39, as far as domains of Latin letters can be imitated).
  static func skeleton(_ text: String) -> String {
    var result = ""
    for scalar in PlainLetters.fold(text).unicodeScalars {
      if let like = similar[scalar] ?? LookalikeLetters.latin(scalar) {
        result.append(like)
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    for (pair, letter) in [("rn", "m"), ("vv", "w"), ("cl", "d")] {
      result = result.replacing(pair, with: letter)
    }
    return result
  }

  /// Letters that can be told apart and are taken for others all the same.
  private static let similar: [Unicode.Scalar: Character] = {
    let pairs = """
      вb кk мm нh тt зz τt εe łl \
      àa áa âa ãa äa åa çc èe ée êe ëe ìi íi îi ïi ñn òo óo ôo õo öo ùu úu ûu üu ýy ÿy āa ēe īi ōo ūu ćc čc śs šs \
      źz žz żz đd ğg ẹe ọo ạa 0o 1l
      """
    var table: [Unicode.Scalar: Character] = [:]
    for pair in pairs.split(separator: " ") where pair.unicodeScalars.count == 2 {
      if let first = pair.unicodeScalars.first, let last = pair.last { table[first] = last }
    }
    return table
  }()
}
