import MailCore

/// The server's folders as numbered lines within 80 columns.
package enum FolderList {
  private static let columns = 80

  package static func lines(_ folders: [FolderInfo]) -> [String] {
    let digits = "\(folders.count)".count
    let counts = folders.map { $0.messages.map(grouped) ?? "?" }
    let countWidth = counts.map(\.count).max() ?? 1
    let longest = folders.map { $0.name.visible.count }.max() ?? 0
    let roles = folders.map { $0.role.map(words) ?? "" }
    let taken = 2 + digits + 2 + 2 + countWidth + 2 + (roles.map(\.count).max() ?? 0)
    let width = min(longest, max(8, columns - taken))
    return folders.enumerated().map { index, folder in
      let number = padded("\(index + 1)", to: digits, left: true)
      let name = padded(fitted(folder.name.visible, to: width), to: width, left: false)
      let count = padded(counts[index], to: countWidth, left: true)
      let role = roles[index].isEmpty ? "" : "  " + roles[index]
      return "  \(number)  \(name)  \(count)\(role)"
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

  private static func fitted(_ text: String, to width: Int) -> String {
    text.count <= width ? text : text.prefix(width - 1) + "…"
  }

  private static func padded(_ text: String, to width: Int, left: Bool) -> String {
    let blanks = String(repeating: " ", count: max(0, width - text.count))
    return left ? blanks + text : text + blanks
  }
}
