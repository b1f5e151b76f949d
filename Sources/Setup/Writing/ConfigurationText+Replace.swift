extension ConfigurationText {
  /// Puts an account in the place of the one called `name`. Where a table stays, so do its place, its comments, and the
  /// keys that the set-up has no answer for, such as `layout` or `store-command`.
  ///
  /// - Parameter isSameClient: the tokens will be of the provider and the program that the file names.
  /// - Returns: false where the account is not written in tables with headers; the text is as it was.
  package mutating func replace(
    account name: String, with new: AccountTables, isSameClient: Bool
  ) -> Bool {
    // Its last line, too, ends as the others do: a carriage return alone is no line end in TOML.
    let isOpen = usesCRLF && bytes.last != 0x0A
    var outline = ConfigurationOutline(isOpen ? bytes + [0x0D, 0x0A] : bytes)
    let own = ["accounts", name]
    guard Self.isPlain(outline, own) else { return false }
    var missing = new.tables
    var tables: [ConfigurationOutline.Table] = []
    for var table in outline.tables {
      guard table.path.starts(with: own) else {
        tables.append(table)
        continue
      }
      let part = table.path.dropFirst(2).first ?? ""
      let wanted = missing.first { $0.name == part }
      missing.removeAll { $0.name == part }
      // Without a server there, or tokens, nothing of such a table means anything.
      if wanted == nil, part == "smtp" || part == "oauth" {
        table = ConfigurationOutline.Table(above: table.above, path: table.path)
      } else {
        let answered = AccountTables.answered(in: part, isSameClient: isSameClient)
        merge(wanted?.keys ?? [], into: &table, answered: answered)
        if name != new.account { rename(&table, to: AccountTables.Table.header(new.account, part)) }
      }
      tables.append(table)
    }
    insert(missing, of: new, into: &tables, own)
    outline.tables = tables
    bytes = outline.bytes
    return true
  }

  /// Whether ``replace(account:with:isSameClient:)`` finds the account.
  package func canReplace(account name: String) -> Bool {
    Self.isPlain(ConfigurationOutline(bytes), ["accounts", name])
  }

  private static func isPlain(_ outline: ConfigurationOutline, _ own: [String]) -> Bool {
    outline.tables.contains { $0.path.starts(with: own) }
      && outline.tables.allSatisfy { isPlain($0, own) }
  }

  /// Nothing of the account stands in dotted keys or inline tables, which cannot be told apart line by line.
  private static func isPlain(_ table: ConfigurationOutline.Table, _ own: [String]) -> Bool {
    if table.path.starts(with: own) {
      return table.path.count <= 3
        && table.entries.allSatisfy { entry in
          entry.key.count == 1
            && (table.path.count == 3
              || !["imap", "smtp", "oauth", "sync", "watch"].contains(entry.key[0]))
        }
    }
    return table.entries.allSatisfy { entry in
      let path = table.path + entry.key
      return !path.starts(with: own) && !own.starts(with: path)
    }
  }

  /// Keys that are answered get their new values where the old ones stood, or go; their comments stay.
  private func merge(
    _ keys: [AccountTables.Table.Key], into table: inout ConfigurationOutline.Table,
    answered: Set<String>
  ) {
    var keys = keys
    var entries: [ConfigurationOutline.Entry] = []
    var above: [ConfigurationOutline.Line] = []
    // Behind the last key of ours that stood there.
    var place = 0
    for var entry in table.entries {
      entry.above = above + entry.above
      above = []
      let key = entry.key.joined()
      let wanted = keys.first { $0.name == key }
      if let wanted {
        keys.removeAll { $0.name == key }
        entry.lines = [line(wanted, like: entry)]
      } else if answered.contains(key) {
        above = entry.above
        place = entries.count
        continue
      }
      entries.append(entry)
      if answered.contains(key) { place = entries.count }
    }
    let added = keys.map {
      ConfigurationOutline.Entry(key: [$0.name], lines: [ended("\($0.name) = \($0.value)")])
    }
    entries.insert(contentsOf: added, at: place)
    table.entries = entries
    table.below = above
  }

  /// A comment behind the old value stays there.
  private func line(_ key: AccountTables.Table.Key, like old: ConfigurationOutline.Entry)
    -> ConfigurationOutline.Line
  {
    let text = "\(key.name) = \(key.value)"
    return ended(text, comment: old.lines.count == 1 ? old.comment : nil)
  }

  private func rename(_ table: inout ConfigurationOutline.Table, to header: String) {
    guard table.header != nil else { return }
    table.header = ended(header, comment: table.comment)
  }

  private func ended(_ text: String, comment: ArraySlice<UInt8>? = nil) -> ConfigurationOutline.Line
  {
    var line = Array(text.utf8)
    if let comment { line += comment }
    if usesCRLF, line.last != 0x0D { line.append(0x0D) }
    return line[...]
  }

  /// Tables that were not there: the account's own before the others, those behind them.
  private func insert(
    _ missing: [AccountTables.Table], of new: AccountTables,
    into tables: inout [ConfigurationOutline.Table], _ own: [String]
  ) {
    let blank = ended("")
    for table in missing {
      var added = ConfigurationOutline.Table()
      added.header = ended(AccountTables.Table.header(new.account, table.name))
      added.entries = table.keys.map {
        ConfigurationOutline.Entry(key: [$0.name], lines: [ended("\($0.name) = \($0.value)")])
      }
      if table.name.isEmpty, let first = tables.firstIndex(where: { $0.path.starts(with: own) }) {
        (added.above, tables[first].above) = (tables[first].above, [blank])
        tables.insert(added, at: first)
      } else if let last = tables.lastIndex(where: { $0.path.starts(with: own) }) {
        added.above = [blank]
        added.path = own + [table.name]
        tables.insert(added, at: last + 1)
      }
    }
  }
}
