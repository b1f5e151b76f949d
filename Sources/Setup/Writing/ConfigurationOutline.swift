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
  }

  struct Table {
    /// Comments and blank lines above the header.
    var above: [Line] = []
    /// Empty for what stands before the first header.
    var path: [String] = []
    var header: Line?
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
    var scanner = LineScanner()
    mark = bytes.starts(with: Self.byteOrderMark) ? Self.byteOrderMark : []
    let text = bytes.dropFirst(mark.count)
    for line in text.split(separator: 0x0A, omittingEmptySubsequences: false) {
      switch scanner.kind(of: line) {
      case .blank: rest.append(line)
      case .header(let path):
        tables.append(table)
        table = Table(above: rest, path: path, header: line)
        rest = []
      case .key(let key):
        table.entries.append(Entry(above: rest, key: key, lines: [line]))
        rest = []
      case .more:
        if let last = table.entries.indices.last { table.entries[last].lines.append(line) }
      }
    }
    self.tables = tables + [table]
  }

  var bytes: [UInt8] {
    mark + (tables.flatMap(\.lines) + rest).joined(separator: [0x0A])
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
}
