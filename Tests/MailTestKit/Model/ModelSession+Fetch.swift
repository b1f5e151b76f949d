extension ModelSession {
  func fetch(_ command: ModelCommand, in box: ModelMailbox) -> Response {
    guard command.arguments.count >= 2, let set = command.arguments[0].text else {
      return ([], "BAD fetch what?")
    }
    let byUID = command.name == "UID FETCH"
    var items = itemNames(command.arguments[1])
    let modifiers = command.arguments.dropFirst(2).first?.list ?? []
    let since = number(after: "CHANGEDSINCE", in: modifiers)
    if since != nil {
      guard dialect.has("CONDSTORE") else { return ([], "BAD no CONDSTORE here") }
      if !items.contains("MODSEQ") { items.append("MODSEQ") }
    }
    if byUID, !items.contains("UID") { items.insert("UID", at: 0) }
    let ranges = numberRanges(set, highest: byUID ? view.last ?? 0 : UInt32(view.count))
    let messages = Dictionary(box.messages.map { ($0.uid, $0) }) { first, _ in first }
    var lines: [[UInt8]] = []
    if let since, modifiers.contains(where: { $0.text?.uppercased() == "VANISHED" }) {
      let gone = box.expunged.filter { $0.modSequence > since && contains(ranges, $0.uid) }
      if !gone.isEmpty {
        let list = gone.map(\.uid).sorted().map(String.init).joined(separator: ",")
        lines.append(bytes("* VANISHED (EARLIER) \(list)"))
      }
    }
    for (index, uid) in view.enumerated() {
      guard contains(ranges, byUID ? uid : UInt32(index + 1)), let message = messages[uid],
        since.map({ message.modSequence > $0 }) ?? true
      else { continue }
      lines.append(fetchLine(index + 1, labelled(message, in: box), items))
    }
    return (lines, "OK done")
  }

  private func itemNames(_ value: IMAPValue) -> [String] {
    let names = value.list?.compactMap(\.text) ?? [value.text ?? ""]
    // BODY.PEEK[HEADER.FIELDS (A B)] keeps its spaces: it is read as one atom.
    return names.flatMap { name -> [String] in
      switch name.uppercased() {
      case "ALL", "FAST", "FULL": ["FLAGS", "INTERNALDATE", "RFC822.SIZE"]
      default: [name.uppercased()]
      }
    }
  }

  /// `* n FETCH (…)` with the items that this model knows.
  func fetchLine(_ number: Int, _ message: ModelMessage, _ items: [String]) -> [UInt8] {
    var parts = items.compactMap { item(message, $0) }
    if dialect.uidLast, let at = items.firstIndex(of: "UID") { parts.append(parts.remove(at: at)) }
    return bytes("* \(number) FETCH (") + Array(parts.joined(separator: [32])) + [41]
  }

  private func item(_ message: ModelMessage, _ name: String) -> [UInt8]? {
    switch name {
    case "UID": return bytes("UID \(message.uid)")
    case "FLAGS": return bytes("FLAGS (" + message.flags.sorted().joined(separator: " ") + ")")
    case "INTERNALDATE": return bytes("INTERNALDATE \"\(internalDateText(message.date))\"")
    case "RFC822.SIZE": return bytes("RFC822.SIZE \(message.claimedSize ?? message.bytes.count)")
    case "MODSEQ": return bytes("MODSEQ (\(message.modSequence))")
    case "EMAILID": return dialect.has("OBJECTID") ? bytes("EMAILID (M\(message.identity))") : nil
    case "THREADID": return dialect.has("OBJECTID") ? bytes("THREADID NIL") : nil
    case "X-GM-MSGID": return bytes("X-GM-MSGID \(message.identity)")
    case "X-GM-THRID": return bytes("X-GM-THRID \(message.identity)")
    case "X-GM-LABELS":
      return bytes("X-GM-LABELS (") + Array(message.labels.map(Self.quoted).joined(separator: [32]))
        + [41]
    case "RFC822": return bytes("RFC822 ") + literal(message.bytes)
    case "ENVELOPE": return bytes("ENVELOPE (NIL NIL NIL NIL NIL NIL NIL NIL NIL NIL)")
    default: return name.hasPrefix("BODY") ? section(message, name) : nil
    }
  }

  /// `BODY[…]` and `BODY.PEEK[…]` with `<origin.count>`.
  private func section(_ message: ModelMessage, _ name: String) -> [UInt8]? {
    guard let open = name.firstIndex(of: "["), let close = name.lastIndex(of: "]") else {
      return nil
    }
    let section = String(name[name.index(after: open)..<close])
    let (header, text) = Self.split(message.bytes)
    var content: [UInt8]
    switch section {
    case "": content = message.bytes
    case "HEADER": content = header
    case "TEXT": content = text
    default:
      guard section.hasPrefix("HEADER.FIELDS"), let list = section.firstIndex(of: "(") else {
        return nil
      }
      let wanted = section[list...].dropFirst().dropLast().split(separator: " ").map(String.init)
      content = Self.fields(header, wanted, except: section.hasPrefix("HEADER.FIELDS.NOT"))
    }
    var label = "BODY[\(section)]"
    let range = name[name.index(after: close)...].dropFirst().dropLast().split(separator: ".")
    if range.count == 2, let origin = Int(range[0]), let count = Int(range[1]) {
      content = Array(content.dropFirst(origin).prefix(count))
      label += "<\(origin)>"
    }
    return bytes(label + " ") + literal(content)
  }

  private func literal(_ content: [UInt8]) -> [UInt8] { bytes("{\(content.count)}\r\n") + content }

  /// Header with its empty line, and the rest.
  static func split(_ message: [UInt8]) -> (header: [UInt8], text: [UInt8]) {
    var start = 0
    while let end = message[start...].firstIndex(of: 10) {
      let line = message[start...end]
      if line.count == 1 || (line.count == 2 && line.first == 13) {
        return (Array(message[...end]), Array(message[(end + 1)...]))
      }
      start = end + 1
    }
    return (message, [])
  }

  private static func fields(_ header: [UInt8], _ wanted: [String], except: Bool) -> [UInt8] {
    var kept: [UInt8] = []
    var keeps = false
    for line in header.split(separator: 10, omittingEmptySubsequences: true) {
      if line.first != 32 && line.first != 9 {
        let name = String(decoding: line.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
        keeps = wanted.contains(name.uppercased()) != except && line.contains(UInt8(ascii: ":"))
      }
      if keeps { kept += line + [10] }
    }
    return kept + [13, 10]
  }

  func number(after word: String, in values: [IMAPValue]) -> UInt64? {
    guard let at = values.firstIndex(where: { $0.text?.uppercased() == word }),
      at + 1 < values.count
    else { return nil }
    return values[at + 1].number
  }

  /// `1:3,7,*` as ranges; `*` is the highest number.
  func numberRanges(_ set: String, highest: UInt32) -> [ClosedRange<UInt32>] {
    set.split(separator: ",").compactMap { part in
      let ends = part.split(separator: ":").map { $0 == "*" ? highest : UInt32($0) ?? 0 }
      guard let first = ends.first, let last = ends.last else { return nil }
      return min(first, last)...max(first, last)
    }
  }

  func contains(_ ranges: [ClosedRange<UInt32>], _ number: UInt32) -> Bool {
    ranges.contains { $0.contains(number) }
  }
}
