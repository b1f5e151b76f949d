/// Tells a plain alternative that only points at the HTML one from a text.
///
/// It is a stub if it has no letters; or if it is short (under 600 bytes), speaks of HTML, a browser or an online
/// version, and the HTML's text is more than twice as long.
enum StubText {
  static let longest = 600

  private static let hints = [
    "html", "browser", "online version", "web version", "webversion", "view it online",
    "view online", "this email client",
    "onlineversion", "en ligne", "navegador", "navigateur", "en línea", "im internet", "в браузере",
    "浏览器", "ブラウザ",
  ].map { Array($0.utf8) }

  static func isStub(_ text: [UInt8], htmlLength: () -> Int) -> Bool {
    guard hasWords(text) else { return htmlLength() > 0 }
    guard text.count < longest else { return false }
    let isASCII = text.allSatisfy { $0 < 0x80 }
    let lowered =
      isASCII
      ? text.map(ASCII.lowered) : Array(String(decoding: text, as: UTF8.self).lowercased().utf8)
    return hints.contains { lowered.holds($0) } && htmlLength() > text.count * 2
  }

  /// Letters, digits, or any other visible character beyond ASCII: an emoji can be an answer.
  private static func hasWords(_ text: [UInt8]) -> Bool {
    if text.contains(where: { ASCII.isLetter($0) || ASCII.isDigit($0) }) { return true }
    return String(decoding: text, as: UTF8.self).unicodeScalars.contains {
      !$0.isASCII && !$0.properties.isWhitespace && $0.properties.generalCategory != .format
    }
  }
}
