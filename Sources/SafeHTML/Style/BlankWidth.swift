/// Whether blanks separate the characters beside them: one that is far smaller than these can hardly be seen.
struct BlankWidth {
  enum Width { case narrow, wide }

  /// The size of the characters that came last.
  private var letters = 0.0
  /// Of the blank after them; nil where there is none.
  private var blank: Double?

  /// - Parameter collapses: whether of a run of such blanks only the first is shown.
  mutating func add(size: Double, collapses: Bool) {
    blank = collapses ? blank ?? size : max(blank ?? 0, size)
  }

  /// A new line.
  mutating func addBreak() { blank = .infinity }

  /// Ends the blanks with a letter.
  ///
  /// - Parameter size: of the letter; nil where that is not known.
  /// - Returns: nil where there were none.
  mutating func end(size: Double? = nil) -> Width? {
    let beside = max(letters, size ?? letters)
    defer {
      blank = nil
      letters = size ?? letters
    }
    return blank.map { $0 * 2 < beside ? .narrow : .wide }
  }
}
