/// What an element is in, as far as that changes how it is written.
struct Surroundings {
  var visibility = Visibility()
  var depth = 0
  /// Whether only parts of a table may stand here.
  var isTableFrame = false
  /// Cells of the table that would lie over others.
  var overlappingCells = CellSpans.Overlaps()
  var isInQuote = false
  /// Whether it is a ruby with a link: its annotations are written beside their words and not above them.
  var isPlainRuby = false
  /// Whether what it is in is a heading: a heading right below it would end it.
  var isHeading = false
  /// Whether a link is open that another would end; one outside of its cell would not.
  var isInLink = false
  /// Whether that link carries our mark: its words stay close to it.
  var isInMarkedLink = false
  /// Whether lines may run from right to left here.
  var isTurned = false
  var open = OpenElements()
}
