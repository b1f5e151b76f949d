import GRDB

/// Turns a query into a plan: looks up the names that it mentions.
struct SearchPlanner {
  private let db: Database
  private let maxShift: Int64
  /// Names in the query that the index doesn't know.
  private(set) var unknown: [UnknownName] = []

  init(_ db: Database) throws {
    self.db = db
    maxShift = try Int64.fetchOne(db, sql: "SELECT value FROM meta WHERE key = 'max_shift'") ?? 0
  }

  mutating func plan(_ node: QueryNode) throws -> SearchPlan {
    switch node.kind {
    case .everything, .ignored: return .everything
    case .and(let nodes): return .all(try nodes.map { try plan($0) })
    case .or(let nodes): return .any(try nodes.map { try plan($0) })
    case .not(let inner): return try plan(inner).inverted
    case .text(let term): return try text(term)
    case .flags(let flags, let isSet): return .rows(.flags(flags, isSet: isSet))
    case .hasAttachment: return .rows(.hasAttachment)
    case .lacksParts: return .rows(.lacksParts)
    case .size(let sizes): return .rows(.size(sizes))
    case .date(let dates): return .rows(.date(dates, maxShift: maxShift))
    case .id(let id): return .id(id)
    case .thread(let id): return .thread(id)
    case .threadsOf(let inner): return try threads(plan(inner))
    case .blindCopy(let words): return .blindCopy(words)
    case .keywordIfAny(let pattern):
      let ids = try keywords(pattern)
      return ids.isEmpty ? .nothing : .keywords(ids)
    case .keyword, .folder, .account, .list, .mediaType: return try named(node.kind)
    }
  }

  /// A prefix becomes the words that begin so.
  private func text(_ term: TextTerm) throws -> SearchPlan {
    let (phrase, isPrefix) = TextMatch.phrase(term)
    guard isPrefix else { return .text(TextMatch(term)) }
    let tokenizer = try db.makeTokenizer(.unicode61(diacritics: .remove))
    let words = try tokenizer.tokenize(document: phrase).map(\.token)
    guard let last = words.last, let endings = try PrefixTerms(db).terms(last) else {
      return .text(TextMatch(term))
    }
    if endings.isEmpty { return .nothing }
    let phrases = endings.map { (words.dropLast() + [$0]).joined(separator: " ") }
    return .text(TextMatch(anyOf: phrases, in: term.columns))
  }

  private func threads(_ plan: SearchPlan) -> SearchPlan {
    plan == .nothing || plan == .everything ? plan : .threads(plan)
  }

  private mutating func named(_ kind: QueryNode.Kind) throws -> SearchPlan {
    switch kind {
    case .keyword(let pattern):
      return found(try keywords(pattern), .keyword, pattern).map { .keywords($0) } ?? .nothing
    case .folder(let pattern):
      let ids = try folders(pattern)
      return found(ids, .folder, pattern).map { .folders($0) } ?? .nothing
    case .account(let pattern):
      let ids = try ids("SELECT id, name FROM account") { pattern.matches($0) }
      return found(ids, .account, pattern).map { .rows(.accounts($0)) } ?? .nothing
    case .list(let pattern):
      let names = try distinct("list_id", of: "file").filter {
        pattern.matchesEnd(of: $0, separator: ".") || pattern.matchesStart(of: $0, separator: ".")
      }
      return found(names, .list, pattern).map { .lists($0) } ?? .nothing
    case .mediaType(let pattern):
      let names = try distinct("media_type", of: "attachment").filter {
        pattern.matches($0) || pattern.matches($0.prefix { $0 != "/" })
          || pattern.matches($0.drop { $0 != "/" }.dropFirst())
      }
      return found(names, .mediaType, pattern).map { .mediaTypes($0) } ?? .nothing
    default: return .nothing
    }
  }

  private mutating func found<T>(_ values: [T], _ kind: UnknownName.Kind, _ pattern: NamePattern)
    -> [T]?
  {
    if values.isEmpty { unknown.append(UnknownName(kind: kind, name: pattern.text)) }
    return values.isEmpty ? nil : values
  }

  private func keywords(_ pattern: NamePattern) throws -> [Int64] {
    try ids("SELECT id, name FROM keyword") { pattern.matches($0) }
  }

  private func ids(_ sql: String, _ isMeant: (String) -> Bool) throws -> [Int64] {
    try Row.fetchAll(db, sql: sql).compactMap { isMeant($0[1]) ? $0[0] : nil }
  }

  /// By the folder's path, or the account's name and it.
  private func folders(_ pattern: NamePattern) throws -> [Int64] {
    let rows = try Row.fetchAll(
      db,
      sql: "SELECT b.id, a.name, b.name FROM mailbox AS b JOIN account AS a ON a.id = b.account")
    return rows.compactMap { row in
      pattern.meansFolder(row[2], of: row[1]) ? row[0] : nil
    }
  }

  /// The values of an indexed column, each found by one step in its index.
  private func distinct(_ column: String, of table: String) throws -> [String] {
    try String.fetchAll(
      db,
      sql: """
        WITH RECURSIVE v(x) AS (
          SELECT (SELECT min(\(column)) FROM \(table) WHERE \(column) IS NOT NULL)
          UNION ALL
          SELECT (SELECT min(\(column)) FROM \(table) WHERE \(column) > v.x) FROM v WHERE x IS NOT NULL)
        SELECT x FROM v WHERE x IS NOT NULL
        """)
  }
}

/// A name in a query that no folder, keyword, … of the index has: why nothing was found.
package struct UnknownName: Sendable, Equatable {
  package enum Kind: String, Sendable {
    case keyword, folder, account, list
    case mediaType = "mimetype"
  }

  package let kind: Kind
  package let name: String
}
