extension ModelSession {
  /// SEARCH over ALL, UID, sequence sets, dates, flags, HEADER, LARGER and MODSEQ; BAD for any other key.
  func search(_ command: ModelCommand, in box: ModelMailbox) -> Response {
    var arguments = command.arguments[...]
    var options: [String]?
    if arguments.first?.text?.uppercased() == "RETURN" {
      guard dialect.has("ESEARCH") else { return ([], "BAD no ESEARCH here") }
      options = arguments.dropFirst().first?.list?.compactMap { $0.text?.uppercased() } ?? []
      arguments = arguments.dropFirst(2)
    }
    if arguments.first?.text?.uppercased() == "CHARSET" { arguments = arguments.dropFirst(2) }
    guard let tests = keys(arguments) else { return ([], "BAD no such search key") }
    let byUID = command.name == "UID SEARCH"
    let known = Dictionary(view.enumerated().map { ($1, UInt32($0 + 1)) }) { first, _ in first }
    let found = box.messages.compactMap { message -> UInt32? in
      guard let number = known[message.uid], tests.allSatisfy({ $0(message, number) }) else {
        return nil
      }
      return byUID ? message.uid : number
    }
    guard let options else {
      return ([bytes((["* SEARCH"] + found.map(String.init)).joined(separator: " "))], "OK done")
    }
    return ([extended(found, options, tag: command.tag, byUID: byUID)], "OK done")
  }

  private func extended(_ found: [UInt32], _ options: [String], tag: String, byUID: Bool) -> [UInt8]
  {
    var line = "* ESEARCH (TAG \"\(tag)\")" + (byUID ? " UID" : "")
    if options.contains("COUNT") { line += " COUNT \(found.count)" }
    if let first = found.first, let last = found.last {
      if options.contains("MIN") { line += " MIN \(first)" }
      if options.contains("MAX") { line += " MAX \(last)" }
      if options.contains("ALL") || options.isEmpty {
        line += " ALL " + found.map(String.init).joined(separator: ",")
      }
    }
    return bytes(line)
  }

  private typealias Key = (ModelMessage, UInt32) -> Bool

  private func keys(_ values: ArraySlice<IMAPValue>) -> [Key]? {
    var rest = values
    var keys: [Key] = []
    while let word = rest.popFirst() {
      if let inner = word.list {
        guard let group = self.keys(inner[...]) else { return nil }
        keys += group
        continue
      }
      guard let key = key(word.text?.uppercased() ?? "", &rest) else { return nil }
      keys.append(key)
    }
    return keys
  }

  private func key(_ name: String, _ rest: inout ArraySlice<IMAPValue>) -> Key? {
    func flag(_ flag: String, _ wanted: Bool) -> Key {
      { m, _ in m.flags.contains(flag) == wanted }
    }
    switch name {
    case "ALL": return { _, _ in true }
    case "SEEN": return flag("\\Seen", true)
    case "UNSEEN": return flag("\\Seen", false)
    case "DELETED": return flag("\\Deleted", true)
    case "UNDELETED": return flag("\\Deleted", false)
    case "FLAGGED": return flag("\\Flagged", true)
    case "NOT":
      guard let word = rest.popFirst()?.text, let inner = key(word.uppercased(), &rest) else {
        return nil
      }
      return { !inner($0, $1) }
    case "UID":
      let ranges = numberRanges(rest.popFirst()?.text ?? "", highest: view.last ?? 0)
      let byNumber = dialect.searchesByNumber
      return { message, number in self.contains(ranges, byNumber ? number : message.uid) }
    case "SINCE", "BEFORE":
      guard let text = rest.popFirst()?.text, let day = internalDate(padded(text)) else {
        return nil
      }
      return { message, _ in
        let begins = message.date - message.date % 86_400
        return name == "SINCE" ? begins >= day : begins < day
      }
    case "LARGER":
      let size = Int(rest.popFirst()?.number ?? 0)
      return { message, _ in (message.claimedSize ?? message.bytes.count) > size }
    case "MODSEQ":
      let sequence = rest.popFirst()?.number ?? 0
      return { message, _ in message.modSequence >= sequence }
    case "HEADER":
      guard let field = rest.popFirst()?.text, let text = rest.popFirst()?.text else { return nil }
      return { message, _ in Self.hasField(message.bytes, field, text) }
    default:
      guard name.allSatisfy({ $0.isNumber || ":,*".contains($0) }), !name.isEmpty else {
        return nil
      }
      let ranges = numberRanges(name, highest: UInt32(view.count))
      return { _, number in self.contains(ranges, number) }
    }
  }

  /// `1-Feb-2024` as an INTERNALDATE at midnight.
  private func padded(_ day: String) -> String {
    (day.count == 10 ? "0" + day : day) + " 00:00:00 +0000"
  }

  private static func hasField(_ message: [UInt8], _ field: String, _ text: String) -> Bool {
    let header = String(decoding: split(message).header, as: UTF8.self).lowercased()
    return header.split(whereSeparator: \.isNewline).contains {
      $0.hasPrefix(field.lowercased() + ":") && $0.contains(text.lowercased())
    }
  }
}
