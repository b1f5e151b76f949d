import MailCore

/// One level of a mailbox's name as (a part of) a directory's name.
enum LevelName {
  /// - Parameter place: 0 for the top level.
  static func encode(_ level: String, place: Int, layout: FolderLayout, twin: Bool) -> String {
    let bytes = Array(level.utf8)
    if bytes.isEmpty { return empty }
    var name: [UInt8] = []
    name.reserveCapacity(bytes.count)
    let isReserved = isReserved(level, place: place, layout: layout)
    for (index, byte) in bytes.enumerated() {
      let isLast = index == bytes.count - 1
      let escaped =
        isReserved && index == 0 || twin && isFoldable(byte)
        || mustEscape(byte, isFirst: index == 0, isLast: isLast, layout: layout)
        || byte == 0xC2 && !isLast && bytes[index + 1] < 0xA0
        || byte < 0xA0 && byte >= 0x80 && index > 0 && bytes[index - 1] == 0xC2
      if escaped {
        name.append(UInt8(ascii: "%"))
        name.append(Hex.upperDigit(byte >> 4))
        name.append(Hex.upperDigit(byte & 15))
      } else {
        name.append(byte)
      }
    }
    return String(decoding: name, as: UTF8.self)
  }

  /// The level that a name was made of.
  ///
  /// A name that ``encode(_:place:layout:twin:)`` never writes is somebody's own, and is the level as it
  /// stands: `per%cent` is no level with a broken character.
  static func decode(_ name: String, place: Int, style: LayoutStyle) -> String {
    guard name.utf8.contains(UInt8(ascii: "%")) else { return name }
    if name == empty { return "" }
    // What is no UTF-8 was never encoded from a level.
    guard let level = String(validating: Hex.percentDecoded(name.utf8), as: UTF8.self),
      isForm(name, of: level, place: place, style: style)
    else { return name }
    return level
  }

  /// Under any settings: they may have been others when the name was given, and the disk another.
  private static func isForm(
    _ name: String, of level: String, place: Int, style: LayoutStyle
  ) -> Bool {
    for separator in [InfoSeparator.colon, .semicolon] {
      for foldsCase in [false, true] {
        let layout = FolderLayout(
          style: style, traits: FileSystemTraits(foldsCase: foldsCase), separator: separator)
        for twin in [false, true] {
          let form = encode(level, place: place, layout: layout, twin: twin)
          if form.utf8.elementsEqual(name.utf8) { return true }
        }
      }
    }
    return false
  }

  /// An empty level has to be called something.
  private static let empty = "%-"

  private static func mustEscape(
    _ byte: UInt8, isFirst: Bool, isLast: Bool, layout: FolderLayout
  ) -> Bool {
    switch byte {
    case 0..<0x20, 0x7F, UInt8(ascii: "%"), UInt8(ascii: "/"): true
    case UInt8(ascii: "."):
      isFirst || layout.style == .maildirPlusPlus || layout.escapesForWindows && isLast
    case UInt8(ascii: " "): layout.escapesForWindows && isLast
    case UInt8(ascii: ":"), UInt8(ascii: "\\"), UInt8(ascii: "*"), UInt8(ascii: "?"),
      UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "|"):
      layout.escapesForWindows
    default: false
    }
  }

  /// Letters of any script: what a file system may fold.
  private static func isFoldable(_ byte: UInt8) -> Bool {
    byte >= 0x80 || ASCII.lowered(byte) &- UInt8(ascii: "a") < 26
  }

  /// In any case, where the file system does not tell cases apart.
  private static func isReserved(_ level: String, place: Int, layout: FolderLayout) -> Bool {
    let folded = layout.traits.foldsCase ? Keywords.fold(level) : level
    switch layout.style {
    case .nested: return ["cur", "new", "tmp"].contains(folded)
    // With the leading dot these are directories and files of ours, notmuch's, Gnus's and mbsync's.
    case .maildirPlusPlus:
      return place == 0
        && [
          "mirror", "mirror-name", "notmuch", "nnmaildir", "noindex", "uidvalidity", "mbsyncstate",
        ].contains(folded)
    }
  }
}
