import Settings

/// A configuration file cut into its tables, and those into their entries: every line belongs to one of them, so what
/// is not changed comes out as it went in.
struct ConfigurationOutline {
  typealias Line = ArraySlice<UInt8>

  /// A key with all lines of its value.
  struct Entry {
    /// Comments and blank lines above.
    var above: [Line] = []
    var key: [String]
    var lines: [Line]
    /// Behind the value, with the blanks before its sign.
    var comment: Line?
  }

  struct Table {
    /// Comments and blank lines above the header.
    var above: [Line] = []
    /// Empty for what stands before the first header.
    var path: [String] = []
    var header: Line?
    /// Behind the header, with the blanks before its sign.
    var comment: Line?
    var entries: [Entry] = []
    /// Comments whose entry has gone.
    var below: [Line] = []

    fileprivate var lines: [Line] {
      above + (header.map { [$0] } ?? []) + entries.flatMap { $0.above + $0.lines } + below
    }
  }

  var tables: [Table]
  /// Comments and blank lines at the end of the file.
  var rest: [Line] = []
  /// The byte order mark that some editors begin a file with: it is no part of the first line.
  private let mark: [UInt8]

  init(_ bytes: [UInt8]) {
    var table = Table()
    var tables: [Table] = []
    var scanner = TOMLScanner(bytes)
    let byteOrderMark = TOMLScanner.byteOrderMark
    mark = bytes.starts(with: byteOrderMark) ? byteOrderMark : []
    var lines = bytes.dropFirst(mark.count)
      .split(separator: 0x0A, omittingEmptySubsequences: false)[...]
    while let statement = scanner.next() {
      let above = Array(lines.prefix(upTo: statement.lines.lowerBound - 1))
      let own = Array(lines[(statement.lines.lowerBound - 1)..<statement.lines.upperBound])
      lines = lines[statement.lines.upperBound...]
      let comment = statement.comment.flatMap { own.last?[$0...] }
      if statement.isHeader, own.count == 1 {
        tables.append(table)
        table = Table(above: above, path: statement.path, header: own.first, comment: comment)
      } else {
        table.entries.append(Entry(above: above, key: statement.path, lines: own, comment: comment))
      }
    }
    rest = Array(lines)
    self.tables = tables + [table]
  }

  var bytes: [UInt8] {
    mark + (tables.flatMap(\.lines) + rest).joined(separator: [0x0A])
  }
}
