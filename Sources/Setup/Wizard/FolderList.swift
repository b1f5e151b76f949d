import MailCore

/// The server's folders as numbered lines within 80 columns.
package enum FolderList {
  private static let columns = 80

  package static func lines(_ folders: [FolderInfo]) -> [String] {
    let digits = "\(folders.count)".count
    let counts = column(folders.map { $0.messages.map(grouped) ?? "?" })
    // Without a single size there is no such column.
    let hasSizes = folders.contains { ($0.bytes ?? 0) > 0 }
    let sizes = column(folders.map { hasSizes ? $0.bytes.map(Quantities.bytes) ?? "" : "" })
    let roles = folders.map { $0.role.map(words) ?? "" }
    let ends = folders.indices.map { index in
      let figures = "  " + counts[index] + (hasSizes ? "  " + sizes[index] : "")
      return roles[index].isEmpty ? figures : figures + "  " + roles[index]
    }
    let names = folders.map(\.name.visible)
    let taken = 2 + digits + 2 + (ends.map(TextWidth.columns).max() ?? 0)
    let width = min(names.map(TextWidth.columns).max() ?? 0, max(8, columns - taken))
    return folders.indices.map { index in
      let number = padded("\(index + 1)", to: digits)
      let line = "  \(number)  \(TextWidth.padded(names[index], to: width))\(ends[index])"
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }

  private static func words(_ role: SpecialUse) -> String {
    switch role {
    case .all: "all mail (only if named)"
    case .important: "important (only if named)"
    case .archive, .drafts, .flagged, .junk, .sent, .trash: role.rawValue
    }
  }

  /// `1,204`
  private static func grouped(_ number: Int) -> String {
    var text = "\(number)"
    var place = text.count - 3
    while place > 0 {
      text.insert(",", at: text.index(text.startIndex, offsetBy: place))
      place -= 3
    }
    return text
  }

  /// All as wide as the widest, blanks on the left.
  private static func column(_ texts: [String]) -> [String] {
    let width = texts.map(\.count).max() ?? 0
    return texts.map { padded($0, to: width) }
  }

  private static func padded(_ text: String, to width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
