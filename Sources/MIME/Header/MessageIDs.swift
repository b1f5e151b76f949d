/// Message identifiers (RFC 5322 §3.6.4) in one form: no `<>`, no folded blanks, a quoted local part
/// unquoted where it needs no quotes (RFC 5256 §3). Letters keep their case.
package enum MessageIDs {
  /// Longer ones are none: a line of mail has at most 998 characters.
  static let longest = 998
  static let most = 1_000

  /// The identifier of a Message-ID or Content-ID field, or nil.
  package static func messageID(_ value: UnsafeRawBufferPointer) -> String? {
    decoded(value) { value in
      var scanner = MessageIDScanner(value)
      if let id = scanner.next() { return id.text }
      // Without the brackets: the first word.
      return MessageIDScanner.bareWords(value).first
    }
  }

  /// The identifiers of a References field in order, each once, what is none left out. Of more than
  /// a thousand the first and the last stay.
  package static func references(_ value: UnsafeRawBufferPointer) -> [String] {
    decoded(value) { value in
      var scanner = MessageIDScanner(value)
      var ids: [String] = []
      while let id = scanner.next() { ids.append(id.text) }
      if ids.isEmpty { ids = MessageIDScanner.bareWords(value).filter { $0.contains("@") } }
      return cut(distinct(ids))
    }
  }

  /// The identifiers of an In-Reply-To field, and whether it is one identifier and nothing else but
  /// comments.
  ///
  /// Old mailers write sentences: `Message from bob <bob@x> of "Mon, 5 Dec" <id>`. Of those only the
  /// last bracket counts, and only if it can be no address.
  package static func inReplyTo(
    _ value: UnsafeRawBufferPointer
  ) -> (ids: [String], isExactlyOneID: Bool) {
    decoded(value) { value in
      var scanner = MessageIDScanner(value)
      var ids: [String] = []
      while let id = scanner.next() { ids.append(id.text) }
      if ids.isEmpty {
        let words = MessageIDScanner.bareWords(value)
        let isID = words.count == 1 && words[0].contains("@")
        return (isID ? words : [], isID)
      }
      guard scanner.hasOtherWords else {
        ids = cut(distinct(ids))
        return (ids, ids.count == 1)
      }
      return (ids.suffix(1).filter(isNoAddress), false)
    }
  }

  /// Local parts of identifiers carry dates and counters; those of people seldom do.
  private static func isNoAddress(_ id: String) -> Bool {
    let local = id.utf8.prefix { $0 != ASCII.at }
    return local.count >= 16 || local.contains(where: ASCII.isDigit)
  }

  private static func distinct(_ ids: [String]) -> [String] {
    var seen: Set<String> = []
    return ids.filter { seen.insert($0).inserted }
  }

  private static func cut(_ ids: [String]) -> [String] {
    ids.count <= most ? ids : [ids[0]] + ids.suffix(most - 1)
  }

  /// Some mailers put identifiers into RFC 2047 words.
  private static func decoded<Result>(
    _ value: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    var finder = EncodedWordFinder(value)
    var place = 0
    while let mark = value.firstIndex(of: ASCII.equals, from: place, to: value.count) {
      if finder.word(at: mark) != nil {
        var text: [UInt8] = []
        HeaderText.append(value, into: &text)
        return UnsafeRawBufferPointer.over(text, body)
      }
      place = mark + 1
    }
    return body(value)
  }
}
