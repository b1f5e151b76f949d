/// What is tried with each server, in this order: each begins where the one before ended.
enum MatrixColumn: String, CaseIterable, Sendable {
  case firstPull = "first pull"
  case noOp = "no-op"
  case delta
  case flags
  case keywords
  case move
  case trash = "to Trash"
  case expunge = "from Trash"
  case draft
  case append
  case mailboxes
  case renumbered = "UIDVALIDITY"
  case cut = "cut, resumed"
  case watch
  case verify
  /// No command that the server does not announce.
  case wire
}

/// What came of a column.
enum MatrixCell: Sendable {
  case held
  case leftOut(String)
  case failed([String])

  var mark: String {
    switch self {
    case .held: "✓"
    case .leftOut: "–"
    case .failed: "✗"
    }
  }
}

/// The matrix as a table that reads well in a terminal and in Markdown.
struct MatrixTable {
  private(set) var lines: [String] = []
  private(set) var remarks: [String] = []
  private static let width = 32

  init() {
    let columns = MatrixColumn.allCases.map(\.rawValue)
    lines.append("| \(Self.padded("Server")) | \(columns.joined(separator: " | ")) | s |")
    lines.append(
      "|\(String(repeating: "-", count: Self.width + 2))|"
        + columns.map { String(repeating: "-", count: $0.count + 2) }.joined(separator: "|")
        + "|---|")
  }

  mutating func add(_ row: String, _ cells: [MatrixColumn: MatrixCell], seconds: Double) {
    let marks = MatrixColumn.allCases.map { column in
      let mark = cells[column]?.mark ?? " "
      return mark + String(repeating: " ", count: column.rawValue.count - 1)
    }
    lines.append(
      "| \(Self.padded(row)) | \(marks.joined(separator: " | ")) | \(Int(seconds.rounded())) |")
    for column in MatrixColumn.allCases {
      switch cells[column] {
      case .leftOut(let reason): remarks.append("\(row), \(column.rawValue): \(reason)")
      case .failed(let problems):
        remarks.append("\(row), \(column.rawValue), FAILED: \(problems.joined(separator: "; "))")
      case .held, nil: break
      }
    }
  }

  var text: String { (lines + [""] + remarks).joined(separator: "\n") }

  private static func padded(_ text: String) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
