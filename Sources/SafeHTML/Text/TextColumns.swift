import MailCore

/// Columns that a terminal gives a text.
enum TextColumns {
  static func count(_ text: String) -> Int {
    text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : TextWidth.columns(of: text)
  }
}
