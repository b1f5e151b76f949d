import MailCore

extension SortingStep {
  /// `mark +seen -flagged “Lunch” in personal/INBOX`
  package var words: String {
    if action == .setAside, staysElsewhere == true {
      return "take \(name) out of \(account)/\(folderName)"
    }
    return "\(change) \(name) in \(account)/\(folderName)"
  }

  /// `mark +seen -flagged`, `move to personal/Archive`, `remove`, `take out`, `set aside`
  package var change: String {
    switch action {
    case .mark(let before, let after):
      "mark " + Self.difference(before, after).joined(separator: " ")
    case .move(let path): "move to \(target ?? path)"
    case .setAside: isEdit == true ? "set aside" : staysElsewhere == true ? "take out" : "remove"
    }
  }

  private static let flagNames: [(MessageFlags, String)] = [
    (.seen, "seen"), (.flagged, "flagged"), (.answered, "answered"), (.draft, "draft"),
    (.forwarded, "forwarded"),
  ]

  private static func difference(_ before: FileMarks, _ after: FileMarks) -> [String] {
    var words: [String] = []
    for (flag, name) in flagNames {
      if after.flags.contains(flag), !before.flags.contains(flag) { words.append("+" + name) }
      if before.flags.contains(flag), !after.flags.contains(flag) { words.append("-" + name) }
    }
    words += after.keywords.subtracting(before.keywords).map { "+" + $0 }
    words += before.keywords.subtracting(after.keywords).map { "-" + $0 }
    return words
  }
}
