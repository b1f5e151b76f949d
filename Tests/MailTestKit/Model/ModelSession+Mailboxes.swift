extension ModelSession {
  func list(_ command: ModelCommand) -> Response {
    // LIST [(selection)] reference pattern|(patterns) [RETURN (options)]
    var arguments = command.arguments
    var selection: [String] = []
    if let options = arguments.first?.list {
      selection = options.compactMap { $0.text?.uppercased() }
      arguments.removeFirst()
    }
    guard arguments.count >= 2 else { return ([], "BAD list what?") }
    let extended = !selection.isEmpty || arguments.count > 2 || arguments[1].list != nil
    if extended, !dialect.has("LIST-EXTENDED") { return ([], "BAD no LIST-EXTENDED here") }
    let patterns = arguments[1].list?.compactMap(\.text) ?? [arguments[1].text ?? ""]
    if patterns == [""] {
      return ([bytes("* LIST (\\Noselect) \"\(dialect.delimiter)\" \"\"")], "OK done")
    }
    let options = arguments.count > 3 ? arguments[3].list ?? [] : []
    let items = statusItems(options)
    if items != nil, !dialect.has("LIST-STATUS") { return ([], "BAD no LIST-STATUS here") }
    var lines: [[UInt8]] = []
    for box in account.mailboxes where patterns.contains(where: { matches(box.name, $0) }) {
      let attributes = box.attributes.joined(separator: " ")
      lines.append(
        bytes("* LIST (\(attributes)) \"\(dialect.delimiter)\" ") + Self.quoted(box.name))
      if let items, box.isSelectable { lines.append(statusLine(shown(box), items)) }
    }
    return (lines, "OK done")
  }

  private func statusItems(_ options: [IMAPValue]) -> [String]? {
    guard let at = options.firstIndex(where: { $0.text?.uppercased() == "STATUS" }),
      at + 1 < options.count
    else { return nil }
    return options[at + 1].list?.compactMap { $0.text?.uppercased() }
  }

  func status(_ command: ModelCommand) -> Response {
    guard command.arguments.count >= 2, let name = command.arguments[0].text,
      let items = command.arguments[1].list?.compactMap({ $0.text?.uppercased() })
    else { return ([], "BAD status of what?") }
    guard let box = account[name], box.isSelectable else { return ([], "NO no such mailbox") }
    return ([statusLine(shown(box), items)], "OK done")
  }

  private func statusLine(_ box: ModelMailbox, _ items: [String]) -> [UInt8] {
    let values = items.compactMap { item -> String? in
      switch item {
      case "MESSAGES": "MESSAGES \(box.messages.count)"
      case "UIDNEXT": "UIDNEXT \(box.uidNext)"
      case "UIDVALIDITY": "UIDVALIDITY \(box.uidValidity)"
      case "UNSEEN": "UNSEEN \(box.messages.count { !$0.flags.contains("\\Seen") })"
      case "RECENT": "RECENT 0"
      case "DELETED": "DELETED \(box.messages.count { $0.flags.contains("\\Deleted") })"
      case "SIZE": "SIZE \(box.messages.reduce(0) { $0 + $1.bytes.count })"
      case "HIGHESTMODSEQ":
        dialect.has("CONDSTORE") ? "HIGHESTMODSEQ \(box.highestModSequence)" : nil
      case "MAILBOXID": dialect.has("OBJECTID") ? "MAILBOXID (\(box.identity))" : nil
      default: nil
      }
    }
    let end = dialect.trailingSpaceInStatus ? ") " : ")"
    return bytes("* STATUS ") + Self.quoted(box.name)
      + bytes(" (" + values.joined(separator: " ") + end)
  }

  /// `*` matches anything, `%` anything within one level.
  private func matches(_ name: String, _ pattern: String) -> Bool {
    matches(Array(name.utf8)[...], Array(pattern.utf8)[...])
  }

  private func matches(_ name: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
    guard let first = pattern.first else { return name.isEmpty }
    let rest = pattern.dropFirst()
    switch first {
    case UInt8(ascii: "*"), UInt8(ascii: "%"):
      var name = name
      while true {
        if matches(name, rest) { return true }
        guard let next = name.popFirst() else { return false }
        if first == UInt8(ascii: "%"), [next] == Array(dialect.delimiter.utf8) { return false }
      }
    default: return name.first == first && matches(name.dropFirst(), rest)
    }
  }

  /// Quoted where that is possible, else a literal.
  static func quoted(_ text: String) -> [UInt8] {
    let raw = Array(text.utf8)
    if raw.contains(where: { $0 == 13 || $0 == 10 || $0 == 0 }) {
      return bytes("{\(raw.count)}\r\n") + raw
    }
    var quoted: [UInt8] = [34]
    for byte in raw {
      if byte == 34 || byte == 92 { quoted.append(92) }
      quoted.append(byte)
    }
    return quoted + [34]
  }
}
