import MailCore

/// Reads one flag's name.
enum FlagName {
  /// The flag it stands for, an empty set where it stands for none of ours (`\Recent`, `NIL`,
  /// unknown system flags); nil where it is a keyword.
  static func flag(_ cursor: WireCursor, _ name: WireText) -> MessageFlags? {
    switch cursor.base[min(name.start, cursor.end - 1)] {
    case _ where name.count == 0: return []
    case UInt8(ascii: "\\"):
      // Within quotes the backslash itself may be escaped.
      let extra = name.isEscaped && name.count > 1 ? 2 : 1
      return systemFlag(cursor, WireText(start: name.start + extra, end: name.end))
    case UInt8(ascii: "$"):
      return cursor.matches(name, "$FORWARDED") ? .forwarded : nil
    default: return cursor.matches(name, "NIL") ? [] : nil
    }
  }

  private static func systemFlag(_ cursor: WireCursor, _ name: WireText) -> MessageFlags {
    switch name.count {
    case 4: cursor.matches(name, "SEEN") ? .seen : []
    case 5: cursor.matches(name, "DRAFT") ? .draft : []
    case 7:
      cursor.matches(name, "FLAGGED")
        ? .flagged : cursor.matches(name, "DELETED") ? .deleted : []
    case 8: cursor.matches(name, "ANSWERED") ? .answered : []
    default: []
    }
  }
}
