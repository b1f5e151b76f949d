import CGumbo

/// Whether cells of a table would lie over one another: a cell of several rows, and below it one of several columns that
/// reaches into its place (HTML Standard §4.9.12: a table model error, which browsers draw all the same).
struct CellSpans {
  private let limits: PageLimits
  /// Columns that may still be looked at.
  private var budget = 200_000
  private var rows = 1
  private var columns = 1

  static func overlap(
    in table: PageElement, _ visibility: Visibility, limits: PageLimits
  ) -> Bool {
    var spans = CellSpans(limits: limits)
    spans.measure(table)
    // Most tables have cells of several columns only, if at all.
    guard spans.rows > 1, spans.columns > 1 else { return false }
    return Self.elements(in: table).contains { spans.groupOverlaps($0, visibility) }
  }

  private init(limits: PageLimits) { self.limits = limits }

  private static func elements(in element: PageElement) -> [PageElement] {
    element.children.compactMap { if case .element(let child) = $0.content { child } else { nil } }
  }

  private mutating func measure(_ table: PageElement) {
    for group in Self.elements(in: table) {
      for row in Self.elements(in: group) {
        for cell in Self.elements(in: row) {
          rows = max(rows, Self.rows(of: cell))
          columns = max(columns, Self.columns(of: cell))
        }
      }
    }
  }

  /// No rows are all that follow.
  private static func rows(of cell: PageElement) -> Int {
    let rows = span("rowspan", of: cell) ?? 1
    return rows == 0 ? .max : rows
  }

  private static func columns(of cell: PageElement) -> Int {
    max(span("colspan", of: cell) ?? 1, 1)
  }

  /// As it is written.
  private static func span(_ name: StaticString, of cell: PageElement) -> Int? {
    guard cell.tag.isCell, let value = cell.attribute(name),
      AttributeRule.accepts(value, as: .number)
    else { return nil }
    return Int(value.text)
  }

  private mutating func groupOverlaps(_ group: PageElement, _ around: Visibility) -> Bool {
    /// For how many rows more each column is taken.
    var taken: [Int] = []
    var visibility = around
    enter(&visibility, group)
    guard !visibility.isGone else { return false }
    for row in Self.elements(in: group) {
      var inRow = visibility
      enter(&inRow, row)
      guard !inRow.isGone else { continue }
      var column = 0
      taken = taken.map { max($0 - 1, 0) }
      for cell in Self.elements(in: row) where cell.tag.isCell {
        var inCell = inRow
        enter(&inCell, cell)
        guard !inCell.isGone else { continue }
        while column < taken.count, taken[column] > 0 { column += 1 }
        let end = column + Self.columns(of: cell)
        budget -= end + 1
        guard budget > 0 else { return true }
        if taken.count < end {
          taken += repeatElement(0, count: end - taken.count)
        }
        if taken[column..<end].contains(where: { $0 > 0 }) { return true }
        let rows = Self.rows(of: cell)
        for place in column..<end { taken[place] = rows }
        column = end
      }
    }
    return false
  }

  private func enter(_ visibility: inout Visibility, _ element: PageElement) {
    let rule = ElementRule.of(element)
    let look = ElementLook(element, rule.attributes.union(.text), at: .free, limits: limits)
    visibility.enter(element, look, limits: limits)
  }
}
