/// How many attributes a page's tags have. The parser holds each of a tag's names against all before it, so that one tag
/// with many costs time by the square.
///
/// Each `<` with a letter is read as a tag by itself, whatever it is in: nothing before it, a comment or an open quote,
/// hides its attributes.
struct AttributeCount {
  private let page: PageBytes
  private let limit: Int
  /// Bytes that may still be read: tags within tags are read again and again.
  private var budget: Int

  private init(_ page: PageBytes, limit: Int) {
    self.page = page
    self.limit = limit
    budget = 1 << 16 + 8 * page.count
  }

  /// Whether every tag has at most so many.
  static func isAtMost(_ limit: Int, in page: PageBytes) -> Bool {
    var count = AttributeCount(page, limit: limit)
    var rest = page[...]
    while let tag = rest.firstIndex(of: ASCII.less) {
      if tag + 1 < page.count, ASCII.isLetter(page[tag + 1]), !count.fits(tagAt: tag + 1) {
        return false
      }
      rest = page[(tag + 1)...]
    }
    return true
  }

  /// - Parameter start: of its name.
  private mutating func fits(tagAt start: Int) -> Bool {
    var place = start
    skip(&place) { !ASCII.isBlank($0) && $0 != ASCII.slash && $0 != ASCII.greater }
    var count = 0
    while true {
      skip(&place) { ASCII.isBlank($0) || $0 == ASCII.slash }
      guard place < page.count, page[place] != ASCII.greater else { break }
      count += 1
      guard count <= limit, budget > 0 else { return false }
      skipAttribute(&place)
    }
    return budget > 0
  }

  private mutating func skipAttribute(_ place: inout Int) {
    // A name may begin with `=`.
    place += 1
    skip(&place) {
      !ASCII.isBlank($0) && $0 != ASCII.slash && $0 != ASCII.greater && $0 != UInt8(ascii: "=")
    }
    skip(&place) { ASCII.isBlank($0) }
    guard place < page.count, page[place] == UInt8(ascii: "=") else { return }
    place += 1
    skip(&place) { ASCII.isBlank($0) }
    guard place < page.count else { return }
    let quote = page[place]
    if quote == ASCII.quote || quote == ASCII.apostrophe {
      place += 1
      skip(&place) { $0 != quote }
      place += 1
    } else {
      skip(&place) { !ASCII.isBlank($0) && $0 != ASCII.greater }
    }
  }

  private mutating func skip(_ place: inout Int, while isPart: (UInt8) -> Bool) {
    let start = place
    while place < page.count, isPart(page[place]) { place += 1 }
    budget -= place - start + 1
  }
}
