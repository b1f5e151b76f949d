/// A character encoding that mail is written in.
///
/// Labels are those of the WHATWG Encoding Standard, so what is labelled iso-8859-1 is read as windows-1252, gb2312 as
/// gb18030, ks_c_5601-1987 as cp949, shift_jis as cp932, with a few of mail's own (utf-7, hz-gb-2312, code pages).
/// They are compared by letters and digits only, without case.
package struct Charset: Sendable, Equatable {
  /// How the bytes become characters.
  enum Coding: Sendable, Equatable {
    case utf8
    /// Also US-ASCII and ISO 8859-1: the first bytes of the table are ours, no library is asked.
    case windows1252
    /// One byte a character, ASCII below 0x80; the table is made from iconv's once.
    case singleByte
    /// ASCII below 0x80 wherever a character begins.
    case multiByte
    /// Escapes or shifts: nothing can be said of a byte by itself.
    case stateful
    case iso2022JP, hz
    case utf16(bigEndian: Bool?)
    /// A label that admits to knowing nothing, such as `unknown-8bit`.
    case unknown
  }

  /// The name in lower case as a person may read it.
  package let name: String
  let coding: Coding
  /// What iconv calls it, best first: libraries differ in which they have.
  let iconvNames: [String]

  init(_ name: String, _ coding: Coding, _ iconvNames: [String] = []) {
    self.name = name
    self.coding = coding
    self.iconvNames = iconvNames
  }

  package static func == (left: Charset, right: Charset) -> Bool { left.name == right.name }

  package static let utf8 = Charset("utf-8", .utf8)
  package static let windows1252 = Charset("windows-1252", .windows1252)
  /// What is beyond ASCII under this label is read as windows-1252, but only after a guess.
  static let ascii = Charset("us-ascii", .windows1252)
  static let iso2022JP = Charset("iso-2022-jp", .iso2022JP, ["EUC-JP-MS", "CP51932", "EUC-JP"])
  static let utf16 = Charset("utf-16", .utf16(bigEndian: nil))

  /// The charset a label names, or nil where no such label is known.
  package init?(label: UnsafeRawBufferPointer) {
    guard let charset = CharsetLabels.charset(label) else { return nil }
    self = charset
  }

  /// The charset a label names, or nil where no such label is known.
  package init?(label: String) {
    var label = label
    guard let charset = label.withUTF8({ CharsetLabels.charset(UnsafeRawBufferPointer($0)) })
    else { return nil }
    self = charset
  }
}

/// How well bytes became text.
package enum CharsetFidelity: Sendable, Equatable {
  case exact
  /// No charset was named, or a wrong one, and another fitted.
  case guessed
  /// Bytes that fit nothing were replaced (U+FFFD, or read as windows-1252 within UTF-8).
  case damaged
}
