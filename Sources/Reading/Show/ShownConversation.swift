import GRDB
import MailIndex

/// What is shown of one conversation.
struct ShownConversation {
  var thread: Int64
  var subject: String
  var members: [ConversationMember]
  /// How many older ones are left out.
  var hidden: Int

  /// In the order of their first message found; the newest conversation stands last, above the prompt.
  static func arrange(
    _ ids: [Int64], wholeThreads: Bool, all: Bool, _ db: Database
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
    return try order.reversed().map { thread in
      let sorted = ConversationOrder.sorted(members[thread] ?? [])
      let shown = all ? sorted : ConversationOrder.excerpt(sorted)
      return ShownConversation(
        thread: thread, subject: try HitReader(db).threads([thread]).first?.subject ?? "",
        members: shown,
        hidden: sorted.count - shown.count)
    }
  }
}
