/// A name that a query gives: compared without case; `*` stands for any run of characters.
package struct NamePattern: Sendable, Hashable {
  /// As written.
  package let text: String
  private let pieces: [[Character]]  // between the stars

  package init(_ text: String) {
    self.text = text
    pieces = text.lowercased().split(separator: "*", omittingEmptySubsequences: false).map(
      Array.init)
  }

  /// Whether the whole name is meant by the pattern. Time grows with the product of their lengths at worst.
  package func matches(_ name: some StringProtocol) -> Bool {
    let name = Array(name.lowercased())
    guard let first = pieces.first, let last = pieces.last else { return false }
    if pieces.count == 1 { return name == first }
    guard name.count >= first.count + last.count, name.starts(with: first),
      name.suffix(last.count).elementsEqual(last)
    else { return false }
    var place = first.count
    let end = name.count - last.count
    for piece in pieces.dropFirst().dropLast() {
      guard let found = Self.find(piece, in: name[place..<end]) else { return false }
      place = found + piece.count
    }
    return true
  }

  /// Whether the pattern means the path or its last levels: `2024` and `archive/2024` find
  /// `Archive/2024`; one that begins with the separator means the whole path only.
  package func matchesEnd(of path: String, separator: Character) -> Bool {
    if text.first == separator { return NamePattern(String(text.dropFirst())).matches(path) }
    var rest = path[...]
    while true {
      if matches(rest) { return true }
      guard let cut = rest.firstIndex(of: separator) else { return false }
      rest = rest[rest.index(after: cut)...]
    }
  }

  /// Whether the pattern, perhaps with the separator before it, means the whole path.
  package func matchesWhole(_ path: String, separator: Character) -> Bool {
    text.first == separator
      ? NamePattern(String(text.dropFirst())).matches(path) : matches(path)
  }

  /// Whether the pattern means the path or its first levels.
  package func matchesStart(of path: String, separator: Character) -> Bool {
    path.indices.contains { path[$0] == separator && matches(path[..<$0]) }
  }

  /// Whether it means a folder: by its path, or the account's name and it.
  package func meansFolder(_ path: String, of account: String) -> Bool {
    matchesEnd(of: path, separator: "/")
      || !account.isEmpty && matchesWhole("\(account)/\(path)", separator: "/")
  }

  private static func find(_ piece: [Character], in name: ArraySlice<Character>) -> Int? {
    var place = name.startIndex
    while place + piece.count <= name.endIndex {
      if name[place...].starts(with: piece) { return place }
      place += 1
    }
    return nil
  }
}
