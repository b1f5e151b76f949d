import IMAPWire
import MailIndex

/// A query as a server is asked it, mailbox by mailbox.
///
/// Servers look for pieces of text where the index looks for words, and know days and no times: what they find may be
/// more than the query means, never less as far as it can be said. So words that are not wanted are not asked for at all.
/// ``mayMean(date:has:)`` takes out what shows to be more.
struct ServerQuery {
  let node: QueryNode
  /// As it was given.
  let text: String

  /// Of one mailbox.
  struct Place {
    var account: String
    /// As people name it: `Archive/2024`.
    var folder: String
  }

  /// What a part of the query comes to in one mailbox.
  private enum Asked {
    case all, nothing
    case what(SearchCriteria)
  }

  /// - Returns: nil where the query means nothing of this mailbox.
  /// - Throws: `QueryError` for what only the index knows.
  func criteria(in place: Place) throws(QueryError) -> SearchCriteria? {
    switch try asked(node, place, isNegated: false) {
    case .all: .all
    case .nothing: nil
    case .what(let criteria): criteria
    }
  }

  // MARK: What was found

  /// Whether a message of this date (Unix seconds) may be meant.
  ///
  /// - Parameter has: whether its header has the words; nil where only the body could tell.
  func mayMean(date: Int64, has: (TextTerm) -> Bool? = { _ in nil }) -> Bool {
    Self.verdict(node) { kind in
      switch kind {
      case .date(let range): range.contains(date)
      case .text(let term): has(term)
      default: nil
      }
    } != false
  }

  /// Whether a message from before this moment may be meant.
  func mayMean(before moment: Int64) -> Bool {
    Self.verdict(node) { kind in
      if case .date(let range) = kind, range.lowerBound >= moment { false } else { nil }
    } != false
  }

  /// Nil where what is known does not decide.
  private static func verdict(_ node: QueryNode, _ leaf: (QueryNode.Kind) -> Bool?) -> Bool? {
    switch node.kind {
    case .not(let inner): return verdict(inner, leaf).map { !$0 }
    case .and(let nodes):
      let verdicts = nodes.map { verdict($0, leaf) }
      return verdicts.contains(false) ? false : verdicts.contains(nil) ? nil : true
    case .or(let nodes):
      let verdicts = nodes.map { verdict($0, leaf) }
      return verdicts.contains(true) ? true : verdicts.contains(nil) ? nil : false
    default: return leaf(node.kind)
    }
  }

  // MARK: Criteria

  private func asked(_ node: QueryNode, _ place: Place, isNegated: Bool) throws(QueryError)
    -> Asked
  {
    switch node.kind {
    case .everything, .ignored: return .all
    case .and(let nodes):
      return try joined(nodes, place, isNegated, without: .all, decidedBy: .nothing) {
        .both($0, $1)
      }
    case .or(let nodes):
      return try joined(nodes, place, isNegated, without: .nothing, decidedBy: .all) {
        .either($0, $1)
      }
    case .not(let inner):
      switch try asked(inner, place, isNegated: !isNegated) {
      case .all: return .nothing
      case .nothing: return .all
      case .what(let criteria): return .what(.not(criteria))
      }
    case .folder(let pattern):
      return pattern.meansFolder(place.folder, of: place.account) ? .all : .nothing
    case .account(let pattern): return pattern.matches(place.account) ? .all : .nothing
    case .id(let id):
      // Our own numbers are given to what is here.
      return id.contains("@") ? .what(.header("Message-ID", "<\(id)>")) : .nothing
    case .date(let range): return Self.days(range, isNegated: isNegated)
    // Nothing of what is not here is a stub.
    case .lacksParts: return .nothing
    case .thread, .threadsOf, .mediaType:
      throw QueryError(mistake: .onlyHere, query: text, range: node.range)
    // Of what is not wanted only what is certain may be asked for, and a piece of text proves no word.
    case .text, .hasAttachment, .list: return isNegated ? .nothing : try simple(node)
    default: return try simple(node)
    }
  }

  private func joined(
    _ nodes: [QueryNode], _ place: Place, _ isNegated: Bool, without neutral: Asked,
    decidedBy final: Asked, _ join: (SearchCriteria, SearchCriteria) -> SearchCriteria
  ) throws(QueryError) -> Asked {
    var criteria: SearchCriteria?
    for node in nodes {
      switch (try asked(node, place, isNegated: isNegated), final) {
      case (.all, .all), (.nothing, .nothing): return final
      case (.what(let one), _): criteria = criteria.map { join($0, one) } ?? one
      default: break
      }
    }
    return criteria.map { .what($0) } ?? neutral
  }

  /// The same in every mailbox.
  private func simple(_ node: QueryNode) throws(QueryError) -> Asked {
    switch node.kind {
    // Of names of attachments servers know nothing: those that have any may be meant.
    case .text(let term) where term.columns == .attachment: return .what(Self.mayHaveAttachment)
    case .text(let term): return .what(Self.text(term))
    case .flags(let flags, let isSet):
      let criteria = Self.flags(flags)
      return .what(isSet ? criteria : .not(criteria))
    case .hasAttachment: return .what(Self.mayHaveAttachment)
    case .keyword(let pattern):
      guard let atom = Self.atom(pattern.text) else {
        throw QueryError(mistake: .onlyHere, query: text, range: node.range)
      }
      return .what(.keyword(atom))
    case .keywordIfAny(let pattern):
      return Self.atom(pattern.text).map { .what(.keyword($0)) } ?? .nothing
    case .list(let pattern):
      let longest = pattern.text.split(separator: "*").max { $0.count < $1.count } ?? ""
      return .what(.header("List-Id", String(longest)))
    case .blindCopy(let words): return .what(.text(.bcc, words))
    case .size(let range): return Self.size(range)
    default: throw QueryError(mistake: .onlyHere, query: text, range: node.range)
    }
  }

  /// Each word for itself: what stands between them in the message may be anything that is no letter.
  private static func text(_ term: TextTerm) -> SearchCriteria {
    let words = term.pieces.isEmpty ? [term.text] : term.pieces
    let criteria = words.map { word in any(keys(term.columns).map { .text($0, word) }) }
    return criteria.dropFirst().reduce(criteria[0]) { .both($0, $1) }
  }

  private static func keys(_ columns: TextColumns) -> [SearchCriteria.TextKey] {
    if columns == .all { return [.everywhere] }
    let keys: [(TextColumns, SearchCriteria.TextKey)] = [
      (.subject, .subject), (.sender, .from), (.recipients, .to), (.recipients, .bcc), (.cc, .cc),
      (.body, .body), (.attachment, .body),
    ]
    let found = keys.filter { columns.contains($0.0) }.map(\.1)
    return found.isEmpty ? [.everywhere] : found
  }

  private static func any(_ criteria: [SearchCriteria]) -> SearchCriteria {
    criteria.dropFirst().reduce(criteria.first ?? .all) { .either($0, $1) }
  }

  /// What is no text alone; what a multipart holds the header does not tell.
  private static let mayHaveAttachment = any(
    ["multipart/", "application/", "image/", "audio/", "video/", "message/", "name="].map {
      .header("Content-Type", $0)
    } + [.header("Content-Disposition", "attachment")])

  private static func flags(_ flags: IndexFlags) -> SearchCriteria {
    switch flags {
    case .seen: .flag(.seen)
    case .replied: .flag(.answered)
    case .flagged: .flag(.flagged)
    case .draft: .flag(.draft)
    case .trashed: .flag(.deleted)
    default: .keyword("$Forwarded")
    }
  }

  /// Nil for what no keyword of a server can be, or where a star stands.
  private static func atom(_ text: String) -> String? {
    let special = Set("(){%*\"\\]".utf8)
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !special.contains($0) })
    else { return nil }
    return text
  }

  private static func size(_ range: ClosedRange<Int64>) -> Asked {
    let most = Int64(UInt32.max)
    guard range.lowerBound <= most else { return .nothing }
    let larger: SearchCriteria? =
      range.lowerBound > 0 ? .larger(UInt32(range.lowerBound - 1)) : nil
    let smaller: SearchCriteria? =
      range.upperBound < most ? .smaller(UInt32(clamping: range.upperBound + 1)) : nil
    switch (larger, smaller) {
    case (let larger?, let smaller?): return .what(.both(larger, smaller))
    case (let one?, nil), (nil, let one?): return .what(one)
    case (nil, nil): return .all
    }
  }

  /// Servers compare the day that the Date field shows, in the sender's zone: that is a day off at most. Asked for is what
  /// may be meant; of what is not wanted, what is certain.
  private static func days(_ range: Range<Int64>, isNegated: Bool) -> Asked {
    let day: Int64 = 86_400
    var criteria: SearchCriteria?
    if range.lowerBound > -day * 365 * 1000 {
      criteria = .sentSince(range.lowerBound + (isNegated ? 2 * day : -day))
    }
    if range.upperBound < day * 365 * 8000 {
      let end = SearchCriteria.sentBefore(range.upperBound + (isNegated ? -day : 2 * day))
      criteria = criteria.map { .both($0, end) } ?? end
    }
    return criteria.map { .what($0) } ?? .all
  }
}
