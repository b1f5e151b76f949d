/// A page that was written is read again, as a browser will read it, until it stays as it is.
///
/// Markup that a parser mends may come out as markup that is mended once more: a paragraph that a form ends, links
/// within links by way of a table. What was found safe in one tree would then be shown as another.
enum FixedPoint {
  /// More than real pages need by far: those are as they are after the first.
  private static let rounds = 6

  /// - Parameter rewritten: what is left of a page that is made safe; nil where it cannot be read.
  /// - Returns: the page that stays; nil where there is none within the rounds.
  static func of(
    _ page: [UInt8], rewritten: (UnsafeRawBufferPointer) -> [UInt8]?
  ) -> [UInt8]? {
    var page = page
    for _ in 0..<rounds {
      guard let again = page.withUnsafeBytes(rewritten) else { return nil }
      if again == page { return page }
      page = again
    }
    return nil
  }
}
