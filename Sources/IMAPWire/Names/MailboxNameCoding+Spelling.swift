import MailCore

/// Names that are told apart where they read the same.
extension MailboxNameCoding {
  /// The server's bytes for a name, those of a mailbox with levels that are spelled out, too.
  package func encode(_ name: MailboxName) -> [UInt8] {
    guard name.isSpelled else { return encode(name.text) }
    let levels = name.levels.map { SpelledLevel.raw(of: $0, isUTF8: isUTF8) ?? encode($0) }
    return Array(levels.joined(separator: name.delimiter?.asciiValue.map { [$0] } ?? []))
  }

  /// Whether nothing else reads as this does and would be written so: what a client makes anew is called so.
  package func isCanonical(_ raw: [UInt8], delimiter: Character?) -> Bool {
    levels(raw, delimiter).enumerated().allSatisfy { isCanonical($1, place: $0) }
  }

  /// What a mailbox may be called here, the best first: as it reads; with those levels spelled out that a client would not
  /// write so; with the last one, too; with all. The last no other mailbox can be called.
  ///
  /// - Parameter parent: how many levels the nearest mailbox above it has that has its name already, and that name.
  package func names(
    of raw: [UInt8], delimiter: Character?, below parent: (levels: Int, name: MailboxName)?
  ) -> [MailboxName] {
    let raws = levels(raw, delimiter)
    let separator = delimiter.map(String.init) ?? ""
    func name(_ levels: [String]) -> MailboxName {
      MailboxName(levels.joined(separator: separator), delimiter: delimiter)
    }
    let spelled = raws.map { SpelledLevel.text(of: $0, isUTF8: isUTF8) }
    var above = parent.map(\.name.levels) ?? []
    if above.count != parent?.levels || !above.contains(where: SpelledLevel.isSpelled) {
      above = []
    }
    let below = raws.dropFirst(above.count)
    let plain = decode(Array(below.joined(separator: delimiter?.asciiValue.map { [$0] } ?? [])))
    var levels =
      above
      + below.indices.map {
        isCanonical(raws[$0], place: $0) ? decode(raws[$0]) : spelled[$0]
      }
    var names = [name(levels)]
    // One that begins with the mark is spelled out in any case.
    if !below.contains(where: { SpelledLevel.isSpelled(decode($0)) }) {
      names.insert(name(above + [plain]), at: 0)
    }
    if let last = spelled.last { levels[levels.count - 1] = last }
    return names + [name(levels), name(spelled)]
  }

  /// Whether the server's name can be called so here.
  package func reads(_ raw: [UInt8], as name: MailboxName) -> Bool {
    if MailboxName(decode(raw), delimiter: name.delimiter) == name { return true }
    let (raws, levels) = (levels(raw, name.delimiter), name.levels)
    return name.isSpelled && raws.count == levels.count
      && zip(raws, levels).allSatisfy { raw, level in
        SpelledLevel.raw(of: level, isUTF8: isUTF8).map { $0 == Array(raw) }
          ?? decode(raw).utf8.elementsEqual(level.utf8)
      }
  }

  /// The first level INBOX has one spelling; where it is the whole name, every other is the same mailbox.
  private func isCanonical(_ level: ArraySlice<UInt8>, place: Int) -> Bool {
    let text = decode(level)
    if place == 0, MailboxName(text, delimiter: nil).isInbox, !text.utf8.elementsEqual("INBOX".utf8)
    {
      return false
    }
    return encode(text).elementsEqual(level) && !SpelledLevel.isSpelled(text)
  }

  private func levels(_ raw: [UInt8], _ delimiter: Character?) -> [ArraySlice<UInt8>] {
    guard let delimiter = delimiter?.asciiValue else { return [raw[...]] }
    return raw.split(separator: delimiter, omittingEmptySubsequences: false)
  }
}
