/// The fields of the language, with the spellings of other programs where they mean the same.
enum QueryField: Equatable {
  case text(TextColumns)
  case keyword, folder, account, list, mediaType, blindCopy
  case flag, has, size
  case date, before, after, until
  case id, thread

  private static let names: [(name: String, field: QueryField)] = [
    ("from", .text(.sender)), ("to", .text(.recipients)), ("cc", .text(.cc)),
    ("subject", .text(.subject)), ("body", .text(.body)), ("attachment", .text(.attachment)),
    ("keyword", .keyword), ("tag", .keyword), ("folder", .folder), ("account", .account),
    ("is", .flag), ("has", .has), ("mimetype", .mediaType), ("size", .size), ("date", .date),
    ("before", .before), ("after", .after), ("list", .list), ("id", .id), ("thread", .thread),
    // notmuch, mu, and what people try
    ("bcc", .blindCopy), ("recip", .text([.recipients, .cc])),
    ("recipient", .text([.recipients, .cc])),
    ("contact", .text([.sender, .recipients, .cc])), ("file", .text(.attachment)),
    ("filename", .text(.attachment)), ("maildir", .folder), ("mailbox", .folder),
    ("label", .keyword), ("flag", .flag), ("mime", .mediaType), ("since", .after),
    ("until", .until), ("mid", .id), ("msgid", .id),
  ]

  static func named(_ name: String) -> QueryField? {
    let name = name.lowercased()
    return names.first { $0.name == name }?.field
  }

  /// The field that was probably meant: one slip of the fingers away.
  static func nearest(to name: String) -> String? {
    let name = Array(name.lowercased().prefix(20))
    return names.map { ($0.name, distance(name, Array($0.name))) }
      .filter { $0.1 <= (name.count > 3 ? 2 : 1) }.min { $0.1 < $1.1 }?.0
  }

  /// Insertions, deletions, replacements, and swaps of neighbours.
  private static func distance(_ a: [Character], _ b: [Character]) -> Int {
    var rows = [Array(0...b.count)]
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var cost = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          cost = min(cost, rows[i - 1][j - 1] + 1)
        }
        row.append(cost)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
