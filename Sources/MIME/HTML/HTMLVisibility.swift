/// Whether what an element holds can be seen, as far as its own attributes tell.
struct HTMLVisibility: OptionSet {
  let rawValue: UInt8

  /// Nothing below can be seen: `display: none`, `opacity: 0`, `max-height: 0`, the `hidden` attribute.
  static let gone = HTMLVisibility(rawValue: 1)
  /// Letters have no size until an element below gives them one: layouts put `font-size: 0` on cells of visible text.
  static let zeroFont = HTMLVisibility(rawValue: 2)
  /// Invisible until an element below says `visible`.
  static let invisible = HTMLVisibility(rawValue: 4)

  private static let display = NameHash.of("display".utf8)
  private static let visibility = NameHash.of("visibility".utf8)
  private static let fontSize = NameHash.of("font-size".utf8)
  private static let maxHeight = NameHash.of("max-height".utf8)
  private static let opacity = NameHash.of("opacity".utf8)

  /// Applies a `style` attribute to what is inherited.
  mutating func apply(style bytes: UnsafeRawBufferPointer) {
    var index = 0
    while index < bytes.count {
      while index < bytes.count, bytes[index] <= ASCII.space || bytes[index] == ASCII.semicolon {
        index += 1
      }
      var hash = NameHash.start
      while index < bytes.count, bytes[index] != ASCII.colon, bytes[index] != ASCII.semicolon {
        if bytes[index] > ASCII.space { hash = NameHash.mixed(hash, ASCII.lowered(bytes[index])) }
        index += 1
      }
      guard index < bytes.count else { return }
      if bytes[index] == ASCII.semicolon { continue }
      let end = bytes[index...].firstIndex(of: ASCII.semicolon) ?? bytes.count
      apply(hash, Self.trimmed(bytes, index + 1..<end))
      index = end
    }
  }

  private mutating func apply(_ property: UInt64, _ value: UnsafeRawBufferPointer) {
    switch property {
    case Self.display:
      if Self.begins(value, with: "none") { insert(.gone) }
    case Self.visibility:
      if Self.begins(value, with: "hidden") || Self.begins(value, with: "collapse") {
        insert(.invisible)
      } else if Self.begins(value, with: "visible") {
        remove(.invisible)
      }
    case Self.fontSize: applyFontSize(value)
    case Self.maxHeight, Self.opacity:
      if Self.size(value) == .zero { insert(.gone) }
    default: return
    }
  }

  private mutating func applyFontSize(_ value: UnsafeRawBufferPointer) {
    switch Self.size(value) {
    case .zero: insert(.zeroFont)
    case .absolute: remove(.zeroFont)
    case .relative: break  // half of nothing is nothing
    }
  }

  private enum Size { case zero, relative, absolute }

  private static func size(_ value: UnsafeRawBufferPointer) -> Size {
    guard let first = value.first, ASCII.isDigit(first) || first == ASCII.dot else {
      return .absolute
    }
    var index = 0
    var isZero = true
    while index < value.count, ASCII.isDigit(value[index]) || value[index] == ASCII.dot {
      if value[index] != ASCII.zero, value[index] != ASCII.dot { isZero = false }
      index += 1
    }
    if isZero { return .zero }
    let unit = UnsafeRawBufferPointer(rebasing: value[index...])
    return begins(unit, with: "%") || begins(unit, with: "em") ? .relative : .absolute
  }

  private static func begins(_ value: UnsafeRawBufferPointer, with word: StaticString) -> Bool {
    guard value.count >= word.utf8CodeUnitCount else { return false }
    for index in 0..<word.utf8CodeUnitCount
    where ASCII.lowered(value[index]) != word.utf8Start[index] {
      return false
    }
    return true
  }

  private static func trimmed(
    _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>
  ) -> UnsafeRawBufferPointer {
    var start = range.lowerBound
    while start < range.upperBound, bytes[start] <= ASCII.space { start += 1 }
    return UnsafeRawBufferPointer(rebasing: bytes[start..<range.upperBound])
  }
}
