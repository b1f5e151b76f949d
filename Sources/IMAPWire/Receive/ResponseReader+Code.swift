import MailCore

// resp-text-code, RFC 9051 §9; RFC 4315 §4, RFC 7162 §7, RFC 8474 §7
extension ResponseReader {
  /// Reads from `[` to behind `]`. nil where no bracket closes it: then it is text.
  func code(_ cursor: inout WireCursor) -> ResponseCode? {
    guard cursor.take(UInt8(ascii: "[")) else { return nil }
    cursor.skipSpaces()
    guard let atom = cursor.codeAtom() else { return nil }
    let name = cursor.string(atom).asciiUppercased
    cursor.skipSpaces()
    var ahead = cursor
    if let code = known(name, &ahead) {
      ahead.skipSpaces()
      if ahead.take(UInt8(ascii: "]")) {
        cursor = ahead
        return code
      }
    }
    return other(name, &cursor)
  }

  private func known(_ name: String, _ cursor: inout WireCursor) -> ResponseCode? {
    switch name {
    case "UIDVALIDITY": return number32(&cursor).map { .uidValidity(UIDValidity($0)) }
    case "UIDNEXT": return number32(&cursor).map { .uidNext(UID($0)) }
    case "UNSEEN": return number32(&cursor).map { .unseen(SequenceNumber($0)) }
    case "HIGHESTMODSEQ": return modSeq(&cursor)
    case "PERMANENTFLAGS": return flagList(&cursor).map { .permanentFlags($0) }
    case "CAPABILITY": return .capability(capabilities(&cursor))
    case "APPENDUID": return appendUID(&cursor)
    case "COPYUID": return copyUID(&cursor)
    case "MODIFIED": return cursor.uidSet().map { .modified($0) }
    case "BADEVENT": return badEvent(&cursor)
    case "MAILBOXID": return mailboxID(&cursor).map { .mailboxID($0) }
    default: return ResponseCode.plain[name]
    }
  }

  private func number32(_ cursor: inout WireCursor) -> UInt32? {
    cursor.number().flatMap { UInt32(exactly: $0) }
  }

  private func modSeq(_ cursor: inout WireCursor) -> ResponseCode? {
    switch cursor.lenientNumber() {
    case .some(let value?): .highestModSeq(ModSequence(value))
    case .some(nil): .noModSeq  // a negative one says that there is none
    case .none: nil
    }
  }

  private func appendUID(_ cursor: inout WireCursor) -> ResponseCode? {
    guard let validity = number32(&cursor) else { return nil }
    cursor.skipSpaces()
    return cursor.uidSet().map { .appendUID(UIDValidity(validity), $0) }
  }

  private func copyUID(_ cursor: inout WireCursor) -> ResponseCode? {
    guard let validity = number32(&cursor) else { return nil }
    cursor.skipSpaces()
    guard let source = cursor.rangeList() else { return nil }
    cursor.skipSpaces()
    guard let destination = cursor.rangeList() else { return nil }
    return .copyUID(
      CopyUID(validity: UIDValidity(validity), source: source, destination: destination))
  }

  // unsupported-events-code = "BADEVENT" SP "(" event *(SP event) ")", RFC 5465 §8; Dovecot has no parentheses.
  private func badEvent(_ cursor: inout WireCursor) -> ResponseCode? {
    let isListed = cursor.take(UInt8(ascii: "("))
    var names: [String] = []
    cursor.skipSpaces()
    while let name = cursor.codeAtom(), names.count < limits.listEntries {
      names.append(cursor.string(name))
      cursor.skipSpaces()
    }
    return !isListed || cursor.take(UInt8(ascii: ")")) ? .badEvent(names) : nil
  }

  /// An object id, in parentheses as RFC 8474 has it, or without.
  func mailboxID(_ cursor: inout WireCursor) -> String? {
    let isListed = cursor.take(UInt8(ascii: "("))
    cursor.skipSpaces()
    guard let id = isListed ? cursor.astring() : cursor.codeAtom(), id.count <= 255 else {
      return nil
    }
    cursor.skipSpaces()
    guard !isListed || cursor.take(UInt8(ascii: ")")) else { return nil }
    return cursor.string(id)
  }

  /// Steps over arguments of any kind to the bracket that closes the code.
  private func other(_ name: String, _ cursor: inout WireCursor) -> ResponseCode? {
    let start = cursor.at
    while true {
      cursor.skipSpaces()
      switch cursor.next {
      case _ where cursor.isAtEnd: return nil
      case UInt8(ascii: "]"):
        let text = WireText(start: start, end: min(cursor.at, start + 256))
        cursor.at += 1
        return .other(name: name, arguments: cursor.string(text))
      case UInt8(ascii: "("), UInt8(ascii: "\""):
        if cursor.skipValue() { continue }
        cursor.at += 1
      default:
        if cursor.codeAtom() == nil { cursor.at += 1 }
      }
    }
  }
}
