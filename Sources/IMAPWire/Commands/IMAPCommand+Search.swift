import MailCore

/// What a search looks for (RFC 9051 §6.4.4).
package indirect enum SearchCriteria: Sendable {
  case all
  case uids(UIDSet)
  /// Internal date on or after the UTC day of these Unix seconds.
  case since(Int64)
  /// Internal date before that day.
  case before(Int64)
  case header(String, String)
  case deleted, undeleted
  case larger(Int)
  case smaller(Int)
  case modSeq(ModSequence)
  case both(SearchCriteria, SearchCriteria)
}

/// What ESEARCH is to return (RFC 4731 §3.1).
package struct SearchReturn: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  package static let all = SearchReturn(rawValue: 1)
  package static let count = SearchReturn(rawValue: 2)
  package static let minimum = SearchReturn(rawValue: 4)
  package static let maximum = SearchReturn(rawValue: 8)
}

extension IMAPCommand {
  /// `returning`: only where the server has ESEARCH; empty asks in the old way.
  package static func uidSearch(
    _ criteria: SearchCriteria, returning: SearchReturn = []
  ) -> IMAPCommand {
    var command = IMAPCommand("UID SEARCH")
    if !returning.isEmpty {
      let words: [(SearchReturn, String)] = [
        (.minimum, "MIN"), (.maximum, "MAX"), (.count, "COUNT"), (.all, "ALL"),
      ]
      let chosen = words.filter { returning.contains($0.0) }.map(\.1)
      command.add(" RETURN (\(chosen.joined(separator: " ")))")
    }
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
    case .before(let seconds): add(" BEFORE \(InternalDate.day(seconds))")
    case .header(let name, let value):
      add(" HEADER ")
      add(string: Array(name.utf8))
      add(" ")
      add(string: Array(value.utf8))
    case .deleted: add(" DELETED")
    case .undeleted: add(" UNDELETED")
    case .larger(let size): add(" LARGER \(size)")
    case .smaller(let size): add(" SMALLER \(size)")
    case .modSeq(let value): add(" MODSEQ \(value)")
    case .both(let first, let second):
      add(first)
      add(second)
    }
  }
}

extension SearchCriteria {
  fileprivate var isBeyondASCII: Bool {
    switch self {
    case .header(let name, let value): (name + value).utf8.contains { $0 >= 0x80 }
    case .both(let first, let second): first.isBeyondASCII || second.isBeyondASCII
    case .all, .uids, .since, .before, .deleted, .undeleted, .larger, .smaller, .modSeq: false
    }
  }
}
