/// An INI file as Python's configparser reads it: offlineimap's configuration.
///
/// Keys have no case; lines that begin with a blank go on with the value before; `%(key)s` stands for another value of
/// the section, or of `DEFAULT`.
struct INIText {
  private var sections: [String: [String: String]] = [:]

  init(_ text: String) {
    var section: String?
    var key: String?
    // A pair of CR and LF is one character.
    let lines = text.replacing("\r\n", with: "\n")
      .split(separator: "\n", omittingEmptySubsequences: false)
    for line in lines {
      let words = Self.trimmed(line)
      if words.isEmpty || words.hasPrefix("#") || words.hasPrefix(";") { continue }
      if let section, let key, line.first?.isWhitespace == true {
        sections[section]?[key]? += "\n" + words
        continue
      }
      key = nil
      if words.hasPrefix("["), let end = words.lastIndex(of: "]") {
        let name = String(words[words.index(after: words.startIndex)..<end])
        section = name
        sections[name] = sections[name] ?? [:]
      } else if let section, let mark = words.firstIndex(where: { $0 == "=" || $0 == ":" }) {
        let name = Self.trimmed(words[..<mark]).lowercased()
        sections[section]?[name] = Self.trimmed(words[words.index(after: mark)...])
        key = name
      }
    }
  }

  func value(_ key: String, in section: String) -> String? {
    guard let raw = raw(key, section) else { return nil }
    var value = raw
    for _ in 0..<10 {
      guard let start = value.range(of: "%(", in: value.startIndex),
        let end = value.range(of: ")s", in: start.upperBound)
      else { break }
      let name = value[start.upperBound..<end.lowerBound].lowercased()
      guard let inner = self.raw(name, section) else { break }
      value.replaceSubrange(start.lowerBound..<end.upperBound, with: inner)
      if value.utf8.count > 65_536 { break }
    }
    return value
  }

  private func raw(_ key: String, _ section: String) -> String? {
    sections[section]?[key] ?? sections["DEFAULT"]?[key]
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    var rest = Substring(text)
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return String(rest)
  }
}

extension String {
  /// Where `part` first stands from `start` on.
  fileprivate func range(of part: String, in start: Index) -> Range<Index>? {
    self[start...].firstRange(of: part)
  }
}
