import GRDB

/// Addresses seen in mail, for completion.
package struct AddressBook {
  /// One address with what ranks it.
  package struct Entry: Sendable, Equatable {
    package var address: String
    package var name: String
    /// Own messages to it.
    package var sent: Int64
    /// Messages from it.
    package var received: Int64
    /// Unix seconds; nil where no message has a date.
    package var lastDate: Int64?
    /// How much and how lately it is in use; mail to it counts more than mail from it.
    package var rank: Double

    package init(
      address: String, name: String, sent: Int64, received: Int64, lastDate: Int64?, rank: Double
    ) {
      self.address = address
      self.name = name
      self.sent = sent
      self.received = received
      self.lastDate = lastDate
      self.rank = rank
    }
  }

  private let db: Database

  package init(_ db: Database) { self.db = db }

  /// The entries that match, best first.
  package func entries(matching words: String, limit: Int) throws -> [Entry] {
    let match = AddressMatch(words)
    let found = try Row.fetchAll(
      db.cachedStatement(sql: Self.sql), arguments: [Self.pattern(match)]
    ).compactMap { row -> (tier: Int, entry: Entry)? in
      let entry = Entry(
        address: row[0], name: row[1] ?? "", sent: row[2], received: row[3], lastDate: row[4],
        rank: row[5] ?? 0)
      return match.tier(name: entry.name, address: entry.address).map { ($0, entry) }
    }
    return found.sorted {
      ($0.tier, -$0.entry.rank, $0.entry.address) < ($1.tier, -$1.entry.rank, $1.entry.address)
    }.prefix(limit).map(\.entry)
  }

  /// SQLite folds ASCII only, so what holds anything else is looked at in any case.
  private static let sql = """
    SELECT address, name, sent_count, received_count, last_date, rank FROM addresses
    WHERE address LIKE ?1 ESCAPE '\\' OR name LIKE ?1 ESCAPE '\\'
      OR name GLOB '*[^ -~]*' OR address GLOB '*[^ -~]*'
    """

  /// What every match holds: the longest word. Words beyond ASCII may be written another way.
  private static func pattern(_ match: AddressMatch) -> String {
    let plain = match.words.filter { word in word.utf8.allSatisfy { $0 < 0x80 } }
    guard let longest = plain.max(by: { $0.utf8.count < $1.utf8.count }) else { return "%" }
    var escaped = ""
    for character in longest {
      if "%_\\".contains(character) { escaped += "\\" }
      escaped.append(character)
    }
    return "%" + escaped + "%"
  }
}

/// What was typed, held against names and addresses without case and accents.
package struct AddressMatch: Sendable {
  package let words: [String]

  package init(_ text: String) {
    words = Self.fold(text).split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// 0 where every word begins a word of the name or the address, 1 where one only begins a part of the domain or lies
  /// inside a word, nil where a word is missing.
  package func tier(name: String, address: String) -> Int? {
    let name = Self.fold(name)
    let address = Self.fold(address)
    let local = address.prefix { $0 != "@" }
    var tier = 0
    for word in words {
      if Self.begins(word, in: name) || Self.begins(word, in: String(local))
        || address.hasPrefix(word)
      {
        continue
      }
      guard name.contains(word) || address.contains(word) else { return nil }
      tier = 1
    }
    return tier
  }

  private static func begins(_ word: String, in text: String) -> Bool {
    guard let first = word.first, !first.isPunctuation else { return text.contains(word) }
    return text.split(whereSeparator: { !$0.isLetter && !$0.isNumber }).contains { part in
      text[part.startIndex...].hasPrefix(word)
    }
  }

  /// Lower case, without accents.
  static func fold(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
    let decomposed = text.lowercased().decomposed
    return String(String.UnicodeScalarView(decomposed.filter { !isAccent($0) }))
  }

  private static func isAccent(_ scalar: Unicode.Scalar) -> Bool {
    (0x300...0x36F).contains(scalar.value)
  }
}
