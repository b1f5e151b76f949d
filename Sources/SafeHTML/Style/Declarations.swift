/// The declarations of a `style` attribute, cut at semicolons.
///
/// One within quotes or brackets cuts, too: what is then no whole declaration is of no use to anybody.
struct Declarations: Sequence, IteratorProtocol {
  private let style: PageBytes
  private var place = 0
  /// Whether the one that came last counts more than others.
  private(set) var isImportant = false

  init(_ style: PageBytes) { self.style = style }

  mutating func next() -> (property: PageBytes, value: PageBytes)? {
    while place < style.count {
      let end = style[place...].firstIndex(of: ASCII.semicolon) ?? style.count
      let declaration = style.piece(place..<end)
      place = end + 1
      guard let colon = declaration.firstIndex(of: ASCII.colon) else { continue }
      var value = declaration.piece(colon + 1..<declaration.count).trimmed
      isImportant = false
      if let mark = value.lastIndex(of: UInt8(ascii: "!")),
        value.piece(mark + 1..<value.count).trimmed.equals("important")
      {
        value = value.piece(0..<mark).trimmed
        isImportant = true
      }
      let property = declaration.piece(0..<colon).trimmed
      if !property.isEmpty, !value.isEmpty { return (property, value) }
    }
    return nil
  }
}
