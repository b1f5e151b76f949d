/// One level of a mailbox's name as the server spells it: `&~cafe&AwE-`, where another mailbox is called `café`.
///
/// Behind the mark stand the server's own bytes, in modified UTF-7 also where it speaks UTF-8, so that a name stays the same
/// when a server learns that; `%` and what is no printable ASCII is percent-encoded. So every level can be read back, and
/// no two read the same.
package enum SpelledLevel {
  /// What a level begins with that is spelled out. No other does: one that the server calls so is spelled out itself.
  private static let mark = Array("&~".utf8)

  package static func isSpelled(_ level: String) -> Bool { level.utf8.starts(with: mark) }

  /// - Parameter isUTF8: what the server speaks, instead of modified UTF-7.
  package static func text(of raw: some Collection<UInt8>, isUTF8: Bool) -> String {
    let name = isUTF8 ? String(validating: raw, as: UTF8.self) : nil
    var text = mark
    for byte in name.map(ModifiedUTF7.encode) ?? Array(raw) {
      if byte < 0x20 || byte >= 0x7F || byte == UInt8(ascii: "%") {
        text += [UInt8(ascii: "%"), Hex.upperDigit(byte >> 4), Hex.upperDigit(byte & 15)]
      } else {
        text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The server's bytes; nil for a level that is not spelled out.
  package static func raw(of level: String, isUTF8: Bool) -> [UInt8]? {
    guard let spelled = bytes(level) else { return nil }
    guard isUTF8, let name = ModifiedUTF7.decode(spelled), ModifiedUTF7.encode(name) == spelled
    else { return spelled }
    return Array(name.utf8)
  }

  /// What a person reads; nil for a level that is not spelled out.
  static func plain(_ level: String) -> String? {
    guard let spelled = bytes(level) else { return nil }
    return ModifiedUTF7.decode(spelled) ?? String(decoding: spelled, as: UTF8.self)
  }

  private static func bytes(_ level: String) -> [UInt8]? {
    guard isSpelled(level) else { return nil }
    return Hex.percentDecoded(level.utf8.dropFirst(mark.count))
  }
}
