import MailCore

/// The folder's `dovecot-keywords` file: one `<number> <name>` a line, number 0 for letter `a`.
///
/// Letters once given are never given to another keyword: file names all over the folder mean the
/// old one.
package struct DovecotKeywords: Equatable, Sendable {
  /// By letter; nil where no keyword has it.
  package private(set) var names: [String?]

  static let fileName = "dovecot-keywords"

  package init() { names = [] }

  /// Lines that make no sense are passed over.
  init(_ bytes: [UInt8]) {
    names = []
    for line in bytes.split(separator: ASCII.lf) {
      var rest = line
      guard let number = rest.takeUInt32(), number < UInt32(KeywordLetters.count),
        rest.take(ASCII.space), !rest.isEmpty
      else { continue }
      if rest.last == ASCII.cr { rest.removeLast() }
      while names.count <= Int(number) { names.append(nil) }
      names[Int(number)] = String(decoding: rest, as: UTF8.self)
    }
  }

  package static func read(in folder: MaildirFolder) throws(MaildirError) -> DovecotKeywords {
    let bytes = try OwnFile.read(fileName, in: folder.directory, atMost: 1 << 20)
    return bytes.map(DovecotKeywords.init) ?? DovecotKeywords()
  }

  /// What the letters of a file name mean. Letters without a name mean nothing yet.
  package func keywords(of letters: KeywordLetters) -> Keywords {
    Keywords(letters.indices.compactMap { $0 < names.count ? names[$0] : nil })
  }

  /// What they mean, and of what was agreed the keywords that no letter stands for: no name could show those.
  package func keywords(of letters: KeywordLetters, agreed: Keywords) -> Keywords {
    keywords(of: letters).union(agreed.subtracting(lettered))
  }

  /// All that have a letter.
  package var lettered: Keywords { Keywords(names.compactMap { $0 }) }

  /// Of these, what has no letter and can get none.
  package func leftOut(of keywords: Keywords) -> Keywords {
    var copy = self
    return Keywords(keywords.filter { copy.index(of: $0) == nil })
  }

  /// Letters for the keywords; those without one get the next free ones, and the file is written
  /// before any name uses them. What finds no letter is returned.
  package static func letters(for keywords: Keywords, in folder: MaildirFolder, fsync: Bool)
    throws(MaildirError) -> (KeywordLetters, leftOut: Keywords)
  {
    var map = try read(in: folder)
    let known = map
    let guess = map.assign(keywords)
    guard map != known else { return guess }
    // Two programs that give the same letter to two keywords would give each other's to the server.
    let lock = try folder.directory.exclusive()
    defer { withExtendedLifetime(lock) {} }
    map = try read(in: folder)
    let before = map
    let result = map.assign(keywords)
    if map != before {
      try OwnFile.write(map.bytes, to: fileName, in: folder.directory, fsync: fsync)
    }
    return result
  }

  private mutating func assign(_ keywords: Keywords) -> (KeywordLetters, leftOut: Keywords) {
    var letters = KeywordLetters()
    var leftOut: [String] = []
    for keyword in keywords {
      if let index = index(of: keyword) {
        letters.insert(KeywordLetters(index: index))
      } else {
        leftOut.append(keyword)
      }
    }
    return (letters, Keywords(leftOut))
  }

  private mutating func index(of keyword: String) -> Int? {
    let folded = Keywords.fold(keyword)
    if let known = names.firstIndex(where: { $0.map(Keywords.fold) == folded }) { return known }
    // The file's lines end at LF, so a keyword with controls has no place in it.
    guard keyword.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
    // Only behind the last: a gap may be a letter that was used once.
    guard names.count < KeywordLetters.count else { return nil }
    names.append(keyword)
    return names.count - 1
  }

  var bytes: [UInt8] {
    var text: [UInt8] = []
    for (index, name) in names.enumerated() {
      guard let name else { continue }
      text.appendDecimal(Int64(index))
      text.append(ASCII.space)
      text.append(contentsOf: name.utf8)
      text.append(ASCII.lf)
    }
    return text
  }
}
