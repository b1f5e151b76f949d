import CGumbo

/// Which cells of a table would lie over others: cells of several rows, where below one of several columns reaches into
/// their place (HTML Standard §4.9.12: a table model error, which browsers draw all the same).
struct CellSpans {
  /// Cells that may not have several rows.
  struct Overlaps {
    fileprivate var cells: Set<PageNode.Identity> = []
    /// Whether the table is too large to say which: then it is all.
    fileprivate var areAll = false

    func contains(_ cell: PageElement) -> Bool {
      areAll || !cells.isEmpty && cells.contains(cell.identity)
    }
  }

  private let limits: PageLimits
  /// Columns that may still be looked at.
  private var budget = 200_000
  private var rows = 1
  private var columns = 1
  private var overlaps = Overlaps()

  static func overlaps(
    in table: PageElement, _ visibility: Visibility, limits: PageLimits
  ) -> Overlaps {
    var spans = CellSpans(limits: limits)
    spans.measure(table)
    // Most tables have cells of several columns only, if at all.
    guard spans.rows > 1, spans.columns > 1 else { return Overlaps() }
    for group in Self.elements(in: table) {
      // With one row only, a cell leaves its place below to others: all is looked at again.
      while !spans.overlaps.areAll, let cell = spans.overlapping(in: group, visibility) {
        spans.overlaps.cells.insert(cell)
      }
    }
    return spans.overlaps
  }

  private init(limits: PageLimits) { self.limits = limits }

  private static func elements(in element: PageElement) -> [PageElement] {
    element.children.compactMap { if case .element(let child) = $0.content { child } else { nil } }
  }

  private mutating func measure(_ table: PageElement) {
    for group in Self.elements(in: table) {
      for row in Self.elements(in: group) {
        for cell in Self.elements(in: row) {
          rows = max(rows, rows(of: cell))
          columns = max(columns, Self.columns(of: cell))
        }
      }
    }
  }

  /// No rows are all that follow.
  private func rows(of cell: PageElement) -> Int {
    if overlaps.contains(cell) { return 1 }
    let rows = Self.span("rowspan", of: cell) ?? 1
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

  /// A column as far as a cell above reaches into it.
  private struct Column {
    var cell: PageNode.Identity?
    /// How many rows more it is taken for.
    var rows = 0
  }

  /// The first cell of several rows into whose place another one reaches.
  private mutating func overlapping(
    in group: PageElement, _ around: Visibility
  ) -> PageNode.Identity? {
    var taken: [Column] = []
    var visibility = around
    enter(&visibility, group)
    guard !visibility.isGone else { return nil }
    for row in Self.elements(in: group) {
      var inRow = visibility
      enter(&inRow, row)
      guard !inRow.isGone else { continue }
      var column = 0
      for place in taken.indices { taken[place].rows = max(taken[place].rows - 1, 0) }
      budget -= taken.count
      for cell in Self.elements(in: row) where cell.tag.isCell {
        var inCell = inRow
        enter(&inCell, cell)
        guard !inCell.isGone else { continue }
        while column < taken.count, taken[column].rows > 0 { column += 1 }
        let end = column + Self.columns(of: cell)
        budget -= end + 1
        guard budget > 0 else {
          overlaps.areAll = true
          return nil
        }
        if taken.count < end {
          taken += repeatElement(Column(), count: end - taken.count)
        }
        if let other = taken[column..<end].first(where: { $0.rows > 0 }) { return other.cell }
        let own = Column(cell: cell.identity, rows: rows(of: cell))
        for place in column..<end { taken[place] = own }
        column = end
      }
    }
    return nil
  }

  private func enter(_ visibility: inout Visibility, _ element: PageElement) {
    let rule = ElementRule.of(element)
    let look = ElementLook(element, rule.attributes.union(.text), at: .free, limits: limits)
    visibility.enter(element, look, limits: limits)
  }
}
