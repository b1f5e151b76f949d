import MailCore

/// What a search looks for (RFC 9051 §6.4.4).
package indirect enum SearchCriteria: Sendable {
  case all
  case uids(UIDSet)
  /// Internal date on or after the UTC day of these Unix seconds.
  case since(Int64)
  case header(String, String)
  case both(SearchCriteria, SearchCriteria)
}

extension IMAPCommand {
  package static func uidSearch(_ criteria: SearchCriteria) -> IMAPCommand {
    var command = IMAPCommand("UID SEARCH", mayTakeLong: criteria.readsMessages)
    if criteria.isBeyondASCII { command.add(" CHARSET UTF-8") }
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
    case .both(let first, let second):
      add(first)
      add(second)
    }
  }
}

extension SearchCriteria {
  /// The server may have no index of header fields, and then reads each message.
  fileprivate var readsMessages: Bool {
    switch self {
    case .header: true
    case .both(let first, let second): first.readsMessages || second.readsMessages
    case .all, .uids, .since: false
    }
  }

  fileprivate var isBeyondASCII: Bool {
    switch self {
    case .header(let name, let value): (name + value).utf8.contains { $0 >= 0x80 }
    case .both(let first, let second): first.isBeyondASCII || second.isBeyondASCII
    case .all, .uids, .since: false
    }
  }
}
