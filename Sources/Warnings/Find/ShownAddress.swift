import MIME
import SafeHTML

/// An address that is shown where a reader looks for the sender's, and is another's.
enum ShownAddress {
  /// The first one of another organisation in what is shown before the sender's address: its name, the group it is in,
  /// and a local part in quotes.
  static func find(in sender: MailAddress) -> String? {
    let local = sender.address.lastIndex(of: "@").map { String(sender.address[..<$0]) } ?? ""
    return [sender.name, sender.group ?? "", local].lazy
      .compactMap { find(in: $0, otherThan: sender.address) }.first
  }

  /// The first address in words, in characters of whatever form: what is on both sides of an `@`, without the marks around
  /// it.
  private static func find(in words: String, otherThan own: String) -> String? {
    guard words.utf8.contains(where: { $0 == UInt8(ascii: "@") || $0 >= 0x80 }) else { return nil }
    let letters = Array(PlainLetters.fold(words))
    for at in letters.indices where letters[at] == "@" {
      let before = letters[..<at].reversed().prefix { isOfName($0) && $0 != "@" }.reversed()
      let after = letters[(at + 1)...].prefix(while: isOfHost)
      let host = String(after).trimming { $0 == "." || $0 == "-" }
      let isWhole = letters[(at + 1)...].dropFirst(after.count).first != "@"
      guard isWhole, !before.isEmpty, LinkLabel.isHost(host) else { continue }
      let shown = String(before) + "@" + host
      if !FreeMail.belongTogether(shown, own) { return shown }
    }
    return nil
  }

  private static func isOfHost(_ letter: Character) -> Bool {
    letter.isLetter || letter.isNumber || letter == "-" || letter == "."
  }

  private static func isOfName(_ letter: Character) -> Bool {
    !letter.isWhitespace && !"<>()[]{}\"',;:|“”‘’«»‹›".contains(letter)
  }
}
