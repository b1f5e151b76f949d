import MailCore

/// What a refusal is about. As text, which the database has and a person's `sqlite3` shows, it is written and read here
/// alone.
package enum RefusalSubject: Hashable, Sendable {
  /// Any change to the mailbox.
  case mailbox
  /// Changes of one kind.
  case marks, uploads, deletions
  /// Gmail: taking labels off.
  case labels
  case moves(to: Int64)
  /// A new name for the mailbox.
  case rename(String)
  /// A mailbox of this name; kept with INBOX.
  case create(String)
  /// One new message, by its content.
  case upload(UInt64)
  /// An edit of a message, which no server takes.
  case edit(UID, contentHash: UInt64)
  /// A flag, by its name, that the mailbox cannot keep.
  case flag(String)
  /// A keyword that it cannot keep, folded.
  case keyword(String)
  /// A message that the server no longer had.
  case lost(UID)
  /// New tries that are being made.
  indirect case tries(RefusalSubject)
  /// Nothing that the server refused: deletions that the person has not confirmed. The UIDs are the reason.
  case hold(DeletionHold.Cause, count: Int, total: Int)
  /// Another program's.
  case other(String)

  package var text: String {
    switch self {
    case .mailbox: "mailbox"
    case .marks: "marks"
    case .uploads: "uploads"
    case .deletions: "deletions"
    case .labels: "labels"
    case .moves(let target): "moves \(target)"
    case .rename(let name): "rename " + name
    case .create(let name): "create " + name
    case .upload(let hash): "upload " + String(hash, radix: 16)
    case .edit(let uid, let hash): "edit \(uid.rawValue) " + String(hash, radix: 16)
    case .flag(let name): "flag " + name
    case .keyword(let keyword): "keyword " + keyword
    case .lost(let uid): "lost \(uid.rawValue)"
    case .tries(let subject): "tries " + subject.text
    case .hold(let cause, let count, let total): "held \(cause.rawValue) \(count) \(total)"
    case .other(let text): text
    }
  }

  package init(text: String) {
    let kind = text.prefix { $0 != " " }
    let rest = String(text.dropFirst(kind.count + 1))
    let words = rest.split(separator: " ")
    let read: RefusalSubject? =
      switch String(kind) {
      case "mailbox": .mailbox
      case "marks": .marks
      case "uploads": .uploads
      case "deletions": .deletions
      case "labels": .labels
      case "moves": Int64(rest).map { .moves(to: $0) }
      case "rename": .rename(rest)
      case "create": .create(rest)
      case "upload": UInt64(rest, radix: 16).map { .upload($0) }
      case "edit" where words.count == 2: Self.edit(words[0], words[1])
      case "flag": .flag(rest)
      case "keyword": .keyword(rest)
      case "lost": UInt32(rest).map { .lost(UID($0)) }
      case "tries": .tries(RefusalSubject(text: rest))
      case "held" where words.count == 3: Self.hold(words[0], words[1], words[2])
      default: nil
      }
    // What it means must be what it says, or a row could not be found again.
    self = if let read, read.text == text { read } else { .other(text) }
  }

  private static func edit(_ uid: Substring, _ hash: Substring) -> RefusalSubject? {
    guard let uid = UInt32(uid), let hash = UInt64(hash, radix: 16) else { return nil }
    return .edit(UID(uid), contentHash: hash)
  }

  private static func hold(_ cause: Substring, _ count: Substring, _ total: Substring)
    -> RefusalSubject?
  {
    guard let cause = DeletionHold.Cause(rawValue: String(cause)), let count = Int(count),
      let total = Int(total)
    else { return nil }
    return .hold(cause, count: count, total: total)
  }
}

extension RefusalSubject: Codable {
  package init(from decoder: any Decoder) throws {
    self.init(text: try decoder.singleValueContainer().decode(String.self))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
