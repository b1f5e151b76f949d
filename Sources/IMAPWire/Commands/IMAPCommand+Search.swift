import MailCore

/// What a search looks for (RFC 9051 §6.4.4).
package indirect enum SearchCriteria: Sendable, Hashable {
  case all
  case uids(UIDSet)
  /// Internal date on or after the UTC day of these Unix seconds.
  case since(Int64)
  case header(String, String)
  /// In one of the fields that have a key of their own, or in the text.
  case text(TextKey, String)
  /// A message has this flag.
  case flag(FlagKey)
  case keyword(String)
  /// More octets than these, or fewer.
  case larger(UInt32)
  case smaller(UInt32)
  /// The Date field's day, by its own zone, is on or after the UTC day of these Unix seconds, or before it.
  case sentSince(Int64)
  case sentBefore(Int64)
  case both(SearchCriteria, SearchCriteria)
  case either(SearchCriteria, SearchCriteria)
  case not(SearchCriteria)

  /// Where words are looked for.
  package enum TextKey: String, Sendable {
    case subject = "SUBJECT"
    case from = "FROM"
    case to = "TO"
    case cc = "CC"
    case bcc = "BCC"
    case body = "BODY"
    /// The header and the body.
    case everywhere = "TEXT"
  }

  package enum FlagKey: String, Sendable {
    case seen = "SEEN"
    case answered = "ANSWERED"
    case flagged = "FLAGGED"
    case draft = "DRAFT"
    case deleted = "DELETED"
  }
}

extension IMAPCommand {
  /// - Parameter isUTF8: UTF8=ACCEPT is in force: naming a charset is an error then (RFC 6855 §3).
  package static func uidSearch(_ criteria: SearchCriteria, isUTF8: Bool = false) -> IMAPCommand {
    var command = IMAPCommand("UID SEARCH", mayTakeLong: criteria.readsMessages)
    if criteria.isBeyondASCII, !isUTF8 { command.add(" CHARSET UTF-8") }
    command.add(criteria)
    return command
  }

  private mutating func add(_ criteria: SearchCriteria) {
    switch criteria {
    case .all: add(" ALL")
    case .uids(let set):
      add(" UID ")
      add(set)
    case .since(let seconds): add(" SINCE \(InternalDate.day(seconds))")
    case .header(let name, let value):
      add(" HEADER ")
      add(string: Array(name.utf8))
      add(" ")
      add(string: Array(value.utf8))
    case .text(let key, let words):
      add(" \(key.rawValue) ")
      add(string: Array(words.utf8))
    case .flag(let key): add(" \(key.rawValue)")
    case .keyword(let atom): add(" KEYWORD \(atom)")
    case .larger(let octets): add(" LARGER \(octets)")
    case .smaller(let octets): add(" SMALLER \(octets)")
    case .sentSince(let seconds): add(" SENTSINCE \(InternalDate.day(seconds))")
    case .sentBefore(let seconds): add(" SENTBEFORE \(InternalDate.day(seconds))")
    case .both(let first, let second):
      add(first)
      add(second)
    case .either(let first, let second):
      add(" OR")
      add(asOne: first)
      add(asOne: second)
    case .not(let criteria):
      add(" NOT")
      add(asOne: criteria)
    }
  }

  /// Several keys count as one in parentheses.
  private mutating func add(asOne criteria: SearchCriteria) {
    guard case .both = criteria else { return add(criteria) }
    add(" (ALL")
    add(criteria)
    add(")")
  }
}

extension SearchCriteria {
  /// The server may have no index of header fields and text, and then reads each message.
  fileprivate var readsMessages: Bool {
    switch self {
    case .header, .text, .sentSince, .sentBefore: true
    case .both(let first, let second), .either(let first, let second):
      first.readsMessages || second.readsMessages
    case .not(let criteria): criteria.readsMessages
    case .all, .uids, .since, .flag, .keyword, .larger, .smaller: false
    }
  }

  fileprivate var isBeyondASCII: Bool {
    switch self {
    case .header(let name, let value): (name + value).utf8.contains { $0 >= 0x80 }
    case .text(_, let words): words.utf8.contains { $0 >= 0x80 }
    case .both(let first, let second), .either(let first, let second):
      first.isBeyondASCII || second.isBeyondASCII
    case .not(let criteria): criteria.isBeyondASCII
    case .all, .uids, .since, .flag, .keyword, .larger, .smaller, .sentSince, .sentBefore: false
    }
  }
}
