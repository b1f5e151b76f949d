/// What `size:` takes.
enum QuerySize {
  static let expected = "a comparison or a range (>1M, <=20k, 1M..5M, 10k..); k, M and G are 1024s"

  struct Parsed: Equatable {
    /// Nil where the range is backwards.
    let range: ClosedRange<Int64>?
  }

  /// - Returns: nil for what is no size.
  static func parse(_ text: String) -> Parsed? {
    if let dots = text.rangeOfDots {
      let low = text[..<dots.lowerBound]
      let high = text[dots.upperBound...]
      guard !low.isEmpty || !high.isEmpty else { return nil }
      guard let from = low.isEmpty ? 0 : bytes(low),
        let to = high.isEmpty ? Int64.max : bytes(high)
      else { return nil }
      return Parsed(range: from <= to ? from...to : nil)
    }
    for (sign, makes) in comparisons where text.hasPrefix(sign) {
      return bytes(text.dropFirst(sign.count)).map { Parsed(range: makes($0)) }
    }
    return nil
  }

  private static let comparisons: [(String, @Sendable (Int64) -> ClosedRange<Int64>)] = [
    (">=", { $0...Int64.max }), ("<=", { 0...$0 }), (">", { ($0 + 1)...Int64.max }),
    ("<", { $0 == 0 ? -1 ... -1 : 0...($0 - 1) }), ("=", { $0...$0 }),
  ]

  /// `10`, `20k`, `1.5M`, `2GB`, without case.
  private static func bytes(_ text: Substring) -> Int64? {
    var digits = text.lowercased()
    if digits.hasSuffix("ib") {
      digits.removeLast(2)
    } else if digits.hasSuffix("b") {
      digits.removeLast()
    }
    let unit: Double
    switch digits.last {
    case "k": unit = 1024
    case "m": unit = 1_048_576
    case "g": unit = 1_073_741_824
    default: unit = 1
    }
    if unit > 1 { digits.removeLast() }
    guard !digits.isEmpty, digits.utf8.count <= 15,
      digits.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 || $0 == UInt8(ascii: ".") }),
      let number = Double(digits), number * unit < 1e15
    else { return nil }
    return Int64(number * unit)
  }
}

extension String {
  /// The first `..`.
  var rangeOfDots: Range<Index>? {
    var place = startIndex
    while let dot = self[place...].firstIndex(of: ".") {
      let next = index(after: dot)
      if next < endIndex, self[next] == "." { return dot..<index(after: next) }
      place = next
    }
    return nil
  }
}
