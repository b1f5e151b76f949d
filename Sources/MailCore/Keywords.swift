/// IMAP keywords or Gmail labels of one message: sorted, each once, compared without ASCII case.
///
/// The spelling first seen is kept. `$Forwarded` is no keyword here: it is ``MessageFlags/forwarded``.
package struct Keywords: Sendable, ExpressibleByArrayLiteral, Sequence {
  private var entries: [String]

  package static let none = Keywords()

  package init() { entries = [] }

  package init(_ names: some Sequence<String>) {
    var seen = Set<String>()
    entries = names.filter { !$0.isEmpty && seen.insert(Self.fold($0)).inserted }
      .sorted { (Self.fold($0), $0) < (Self.fold($1), $1) }
  }

  package init(arrayLiteral names: String...) { self.init(names) }

  package var isEmpty: Bool { entries.isEmpty }
  package var count: Int { entries.count }
  package func makeIterator() -> IndexingIterator<[String]> { entries.makeIterator() }

  package func contains(_ name: String) -> Bool {
    let folded = Self.fold(name)
    return entries.contains { Self.fold($0) == folded }
  }

  package func union(_ other: Keywords) -> Keywords { Keywords(entries + other.entries) }
  package func subtracting(_ other: Keywords) -> Keywords {
    Keywords(entries.filter { !other.contains($0) })
  }
  package func intersection(_ other: Keywords) -> Keywords {
    Keywords(entries.filter { other.contains($0) })
  }

  /// ASCII case folded; other scripts compare as they are, as IMAP servers do.
  package static func fold(_ name: String) -> String {
    String(decoding: name.utf8.map { $0 >= 65 && $0 <= 90 ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}

extension Keywords: Hashable {
  package static func == (a: Keywords, b: Keywords) -> Bool {
    a.entries.count == b.entries.count
      && zip(a.entries, b.entries).allSatisfy { $0 == $1 || fold($0) == fold($1) }
  }
  package func hash(into hasher: inout Hasher) {
    for entry in entries { hasher.combine(Self.fold(entry)) }
  }
}
