import GRDB
import MailCore
import MailIndex

/// What is shown of one conversation.
struct ShownConversation {
  var thread: Int64
  var subject: String
  var members: [ConversationMember]
  /// How many older ones are left out.
  var hidden: Int
  /// How many newer ones.
  var newer = 0

  /// Where the excerpt is only a part: what is left out, and how it is shown.
  var leftOut: String? {
    var words: [String] = []
    if hidden > 0 {
      words.append(
        "\(Quantities.count(hidden, "older message")) left out; --all prints them, --older the "
          + "\(min(hidden, ConversationOrder.shown)) before")
    }
    if newer > 0 { words.append("\(Quantities.count(newer, "newer message")) left out") }
    return words.isEmpty ? nil : words.joined(separator: "; ")
  }

  /// The messages that are read whole where the others are folded: those unread, else the last.
  var open: Set<Int64> {
    let unread = members.filter(\.isUnread).map(\.id)
    return Set(unread.isEmpty ? members.suffix(1).map(\.id) : unread)
  }

  /// In the order of their first message found; the newest conversation stands last, above the prompt.
  static func arrange(
    _ ids: [Int64], wholeThreads: Bool, all: Bool, older: Int = 0, _ db: Database
  ) throws -> [ShownConversation] {
    var members: [Int64: [ConversationMember]] = [:]
    var order: [Int64] = []
    for id in ids {
      guard let (thread, member) = try ConversationMember.one(id, db) else { continue }
      if members[thread] == nil { order.append(thread) }
      if !wholeThreads {
        members[thread, default: []].append(member)
      } else if members[thread] == nil {
        members[thread] = try ConversationMember.all(ofThread: thread, db)
      }
    }
    return try order.reversed().compactMap { thread in
      let sorted = ConversationOrder.sorted(members[thread] ?? [])
      let shown = all ? sorted : ConversationOrder.excerpt(sorted, older: older)
      guard !shown.isEmpty else { return nil }
      let newer = older == 0 ? 0 : min(sorted.count, ConversationOrder.shown * older)
      return ShownConversation(
        thread: thread, subject: try HitReader(db).threads([thread]).first?.subject ?? "",
        members: shown,
        hidden: sorted.count - shown.count - newer, newer: newer)
    }
  }
}
