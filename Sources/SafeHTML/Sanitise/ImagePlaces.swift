/// Pictures that go into a page when all else of it is written: until then each has a short address.
struct ImagePlaces {
  private var addresses: [String] = []

  private static let opening = Array("<img src=\"\(short)".utf8)
  private static let short = "data:image/gif;base64,"

  /// The address of a picture in the meantime: one that is allowed as such.
  mutating func add(_ address: String) -> String {
    addresses.append(address)
    return "\(Self.short)\(addresses.count - 1)"
  }

  /// The page with its pictures.
  func filled(_ page: [UInt8]) -> [UInt8] {
    guard !addresses.isEmpty else { return page }
    var whole: [UInt8] = []
    whole.reserveCapacity(page.count + addresses.reduce(0) { $0 + $1.utf8.count })
    var place = 0
    while let tag = page[place...].firstRange(of: Self.opening) {
      let digits = page[tag.upperBound...].prefix(while: ASCII.isDigit)
      let start = tag.upperBound - Self.short.utf8.count
      whole += page[place..<start]
      if let number = Int(String(decoding: digits, as: UTF8.self)), number < addresses.count {
        whole += addresses[number].utf8
      }
      place = digits.endIndex
    }
    return whole + page[place...]
  }
}

extension ArraySlice<UInt8> {
  /// Where these bytes, of which the first is `<`, come first.
  fileprivate func firstRange(of word: [UInt8]) -> Range<Int>? {
    var place = startIndex
    while let found = self[place...].firstIndex(of: ASCII.less) {
      if self[found...].starts(with: word) { return found..<found + word.count }
      place = found + 1
    }
    return nil
  }
}
