import MailCore

extension ResponseReader {
  // mailbox-list = "(" [mbx-list-flags] ")" SP (DQUOTE QUOTED-CHAR DQUOTE / nil) SP mailbox
  //   [SP mbox-list-extended], RFC 9051 §9
  func list(_ cursor: inout WireCursor) -> UntaggedResponse? {
    cursor.skipSpaces()
    guard let words = flagList(&cursor) else { return nil }
    cursor.skipSpaces()
    guard let delimiter = delimiter(&cursor) else { return nil }
    cursor.skipSpaces()
    guard let raw = listedName(&cursor) else { return nil }
    let name = MailboxName(names.decode(raw), delimiter: delimiter)
    var listing = MailboxListing(name: name, rawName: raw, delimiter: delimiter)
    for word in words {
      if let attribute = MailboxAttributes.names[Keywords.fold(word)] {
        listing.attributes.formUnion(attribute)
      } else if word.hasPrefix("\\"), let use = SpecialUse(attribute: word),
        !listing.specialUse.contains(use)
      {
        listing.specialUse.append(use)
      }
    }
    listing.oldName = oldName(&cursor)
    return .list(listing)
  }

  // oldname-extended-item = "OLDNAME" SP "(" mailbox ")", RFC 5465 §8; in mbox-list-extended, RFC 5258 §6
  private func oldName(_ cursor: inout WireCursor) -> [UInt8]? {
    cursor.skipSpaces()
    guard cursor.take(UInt8(ascii: "(")) else { return nil }
    while true {
      cursor.skipSpaces()
      guard let item = cursor.astring() else { return nil }
      cursor.skipSpaces()
      if cursor.matches(item, "OLDNAME"), cursor.take(UInt8(ascii: "(")) {
        cursor.skipSpaces()
        return cursor.astring().map { spelled(cursor.bytes($0)) }
      }
      guard cursor.skipValue() else { return nil }
    }
  }

  /// A name as LIST has it: Dovecot 2.3 sends an old name in UTF-8 to those, too, who were sent it in UTF-7.
  private func spelled(_ raw: [UInt8]) -> [UInt8] {
    names.isUTF8 || ModifiedUTF7.decode(raw) != nil
      ? raw : ModifiedUTF7.encode(String(decoding: raw, as: UTF8.self))
  }

  // myrights-data = "MYRIGHTS" SP mailbox SP rights, RFC 4314 §7
  func myRights(_ cursor: inout WireCursor) -> UntaggedResponse? {
    cursor.skipSpaces()
    guard let name = cursor.astring() else { return nil }
    let raw = cursor.bytes(name)
    cursor.skipSpaces()
    // No right at all may be told by nothing at all.
    if cursor.isAtEnd { return .myRights(raw, MailboxRights("")) }
    guard var rights = cursor.astring() else { return nil }
    cursor.skipSpaces()
    guard cursor.isAtEnd else { return nil }
    rights.end = min(rights.end, rights.start + MailboxRights.longest)
    return .myRights(raw, MailboxRights(cursor.string(rights)))
  }

  /// The name, which Exchange has sent unquoted with blanks and controls in it.
  private func listedName(_ cursor: inout WireCursor) -> [UInt8]? {
    if cursor.next == UInt8(ascii: "\"") || cursor.isAtLiteral {
      return cursor.astring().map { cursor.bytes($0) }
    }
    var ahead = cursor
    guard let atom = ahead.atom() else { return nil }
    ahead.skipSpaces()
    if ahead.isAtEnd || ahead.next == UInt8(ascii: "(") {
      cursor = ahead
      return cursor.bytes(atom)
    }
    let rest = cursor.rest()
    return rest.count > 0 ? cursor.bytes(rest) : nil
  }

  // mailbox-data =/ "STATUS" SP mailbox SP "(" [status-att-list] ")", RFC 9051 §9
  func mailboxStatus(_ cursor: inout WireCursor) -> UntaggedResponse? {
    cursor.skipSpaces()
    guard let raw = statusName(&cursor) else { return nil }
    cursor.skipSpaces()
    guard cursor.take(UInt8(ascii: "(")) else { return nil }
    var status = MailboxStatus(
      rawName: raw, name: MailboxName(names.decode(raw), delimiter: nil))
    while true {
      cursor.skipSpaces()
      if cursor.take(UInt8(ascii: ")")) { break }
      guard let item = cursor.atom() else { return nil }
      cursor.skipSpaces()
      guard statusItem(&cursor, item, &status) else { return nil }
    }
    return .mailboxStatus(status)
  }

  /// An unquoted name may hold blanks: it ends before the last ` (`.
  private func statusName(_ cursor: inout WireCursor) -> [UInt8]? {
    var ahead = cursor
    if let text = ahead.astring() {
      ahead.skipSpaces()
      if ahead.next == UInt8(ascii: "(") {
        cursor = ahead
        return cursor.bytes(text)
      }
    }
    var open = cursor.end - 1
    while open > cursor.at, cursor.base[open] != UInt8(ascii: "(") { open -= 1 }
    var name = WireText(start: cursor.at, end: open)
    while name.count > 0, cursor.base[name.end - 1] == UInt8(ascii: " ") { name.end -= 1 }
    guard name.count > 0 else { return nil }
    cursor.at = open
    return cursor.bytes(name)
  }

  private func statusItem(
    _ cursor: inout WireCursor, _ item: WireText, _ status: inout MailboxStatus
  ) -> Bool {
    if cursor.matches(item, "MAILBOXID") {
      status.mailboxID = statusMailboxID(&cursor)
      return true
    }
    var ahead = cursor
    guard let value = ahead.lenientNumber() else { return cursor.skipValue() }
    cursor = ahead
    guard let value else { return true }
    let count = Int(exactly: value)
    let number = UInt32(exactly: value)
    switch item {
    case _ where cursor.matches(item, "MESSAGES"): status.messages = count
    case _ where cursor.matches(item, "UIDNEXT"): status.uidNext = number.map { UID($0) }
    case _ where cursor.matches(item, "UIDVALIDITY"):
      status.uidValidity = number.map { UIDValidity($0) }
    case _ where cursor.matches(item, "HIGHESTMODSEQ"):
      status.highestModSeq = ModSequence(value)
    case _ where cursor.matches(item, "UNSEEN"): status.unseen = count
    case _ where cursor.matches(item, "RECENT"): status.recent = count
    case _ where cursor.matches(item, "DELETED"): status.deleted = count
    case _ where cursor.matches(item, "SIZE"): status.size = Int64(exactly: value)
    default: break
    }
    return true
  }

  /// Cyrus 3.6 puts raw bytes between the parentheses (Quirk.rawMailboxID, where it is not asked): those name nothing
  /// that could be compared later, but the items behind them must still be found.
  private func statusMailboxID(_ cursor: inout WireCursor) -> String? {
    var ahead = cursor
    if let id = mailboxID(&ahead), id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
      cursor = ahead
      return id
    }
    while !cursor.isAtEnd, !cursor.take(UInt8(ascii: ")")) { cursor.at += 1 }
    return nil
  }
}
