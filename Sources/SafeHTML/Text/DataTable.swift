import CGumbo

/// A table of data set in columns that line up; most tables of mail are layout, and those are read cell by cell.
///
/// Data are at least two rows of at least two cells, each of one short line, and no table within.
struct DataTable {
  let lines: [[UInt8]]

  private static let mostRows = 500
  private static let mostColumns = 12
  private static let widestCell = 40
  private static let widest = 100

  /// Nil where the table is none of data.
  ///
  /// - Parameter reader: reads the cells and numbers their links; to be dropped where there is no table.
  init?(_ table: PageElement, _ visibility: Visibility, _ reader: inout PageReader, depth: Int) {
    guard let rows = Self.rows(of: table) else { return nil }
    var cells: [[Cell]] = []
    for row in rows {
      var line: [Cell] = []
      for (element, visibility) in Self.cells(of: row, visibility) {
        let text = String(
          decoding: reader.cell(element, visibility, depth: depth + 3), as: UTF8.self)
        let width = TextColumns.count(text)
        guard !text.contains("\n"), width <= Self.widestCell else { return nil }
        line.append(Cell(text: text, width: width, isHeading: element.tag == GUMBO_TAG_TH))
      }
      if !line.allSatisfy(\.text.isEmpty) { cells.append(line) }
    }
    let columns = cells.map(\.count).max() ?? 0
    guard cells.count >= 2, (2...Self.mostColumns).contains(columns),
      // A row with fewer cells than half is a sign of layout.
      cells.count(where: { $0.count == columns }) * 2 > cells.count,
      cells.count(where: { $0.filter { !$0.text.isEmpty }.count >= 2 }) >= 2
    else { return nil }
    let widths = (0..<columns).map { column in
      cells.compactMap { column < $0.count ? $0[column].width : nil }.max() ?? 0
    }
    guard widths.reduce(0, +) + 2 * (columns - 1) <= Self.widest else { return nil }
    lines = Self.set(cells, widths)
  }

  private struct Cell {
    var text: String
    var width: Int
    var isHeading: Bool

    var isNumber: Bool {
      text.contains { $0.isNumber }
        && text.allSatisfy { $0.isNumber || " .,%+-–€$£¥/:".contains($0) }
    }
  }

  private static func set(_ cells: [[Cell]], _ widths: [Int]) -> [[UInt8]] {
    let isNumeric = widths.indices.map { column in
      let filled = cells.compactMap { column < $0.count ? $0[column] : nil }
        .filter { !$0.isHeading && !$0.text.isEmpty }
      return !filled.isEmpty && filled.dropFirst(filled.count > 2 ? 1 : 0).allSatisfy(\.isNumber)
    }
    return cells.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        let padding = String(repeating: " ", count: max(0, widths[column] - cell.width))
        if column > 0 { line += "  " }
        line += isNumeric[column] ? padding + cell.text : cell.text + padding
      }
      while line.last == " " { line.removeLast() }
      return Array(line.utf8)
    }
  }

  /// The rows, or nil where something else is in the table.
  private static func rows(of table: PageElement) -> [PageElement]? {
    var rows: [PageElement] = []
    for child in table.children {
      guard case .element(let section) = child.content else { continue }
      switch section.tag {
      case GUMBO_TAG_CAPTION: return nil
      case GUMBO_TAG_TBODY, GUMBO_TAG_THEAD, GUMBO_TAG_TFOOT:
        for child in section.children {
          guard case .element(let row) = child.content, row.tag == GUMBO_TAG_TR else { continue }
          rows.append(row)
          if rows.count > mostRows { return nil }
        }
      default: break
      }
    }
    guard rows.count >= 2 else { return nil }
    return rows.allSatisfy { mayBeData($0, depth: 0) } ? rows : nil
  }

  /// Whether nothing below takes lines of its own.
  private static func mayBeData(_ element: PageElement, depth: Int) -> Bool {
    guard depth < 8 else { return false }
    for child in element.children {
      guard case .element(let child) = child.content else { continue }
      switch child.tag {
      case GUMBO_TAG_TABLE, GUMBO_TAG_UL, GUMBO_TAG_OL, GUMBO_TAG_BLOCKQUOTE, GUMBO_TAG_PRE,
        GUMBO_TAG_HR:
        return false
      default: if !mayBeData(child, depth: depth + 1) { return false }
      }
    }
    return true
  }

  private static func cells(
    of row: PageElement, _ visibility: Visibility
  ) -> [(PageElement, Visibility)] {
    row.children.compactMap { child in
      guard case .element(let cell) = child.content,
        cell.tag == GUMBO_TAG_TD || cell.tag == GUMBO_TAG_TH
      else { return nil }
      return (cell, visibility)
    }
  }
}
