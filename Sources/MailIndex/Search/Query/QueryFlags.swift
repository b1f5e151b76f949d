/// What `is:` knows.
enum QueryFlags {
  static let expected =
    "unread, read, flagged, replied, forwarded, draft, trashed, attachment or stub"

  static func kind(_ word: String) -> QueryNode.Kind? {
    switch word.lowercased() {
    case "unread", "unseen": .flags(.seen, isSet: false)
    case "read", "seen": .flags(.seen, isSet: true)
    case "flagged", "starred", "important": .flags(.flagged, isSet: true)
    case "unflagged": .flags(.flagged, isSet: false)
    case "replied", "answered": .flags(.replied, isSet: true)
    case "forwarded", "passed": .flags(.passed, isSet: true)
    case "draft": .flags(.draft, isSet: true)
    case "trashed", "deleted": .flags(.trashed, isSet: true)
    case "attachment", "attach": .hasAttachment
    case "stub": .lacksParts
    default: nil
    }
  }

  /// Tags that notmuch keeps for flags.
  static func tagged(_ word: String) -> QueryNode.Kind? {
    let tags = ["unread", "flagged", "replied", "passed", "draft", "attachment"]
    return tags.contains(word.lowercased()) ? kind(word) : nil
  }
}
