import MailCore

/// What people call a folder of an account that another program keeps.
///
/// A leading dot is Maildir++ right below the account or its INBOX (`.Archive.2024`), and one level
/// of mbsync's older style below any other folder (`Archive/.2024`). Names in modified UTF-7, as
/// IMAP servers have them, are decoded.
enum ForeignFolderName {
  /// - Parameter components: of the folder's place below its account.
  static func text(_ components: [String]) -> String {
    var levels: [String] = []
    for component in components {
      guard component.hasPrefix("."), component != "." else {
        levels.append(decoded(component))
        continue
      }
      let name = component.dropFirst()
      if levels.isEmpty || levels.count == 1 && levels[0].lowercased() == "inbox" {
        levels = name.split(separator: ".", omittingEmptySubsequences: false)
          .map { decoded(String($0)) }
      } else {
        levels.append(decoded(String(name)))
      }
    }
    return levels.isEmpty ? "INBOX" : levels.joined(separator: "/")
  }

  /// Only what an encoder would have written, and nothing that is no text: `R&D` and `Q&A-B` are names
  /// as they stand.
  private static func decoded(_ level: String) -> String {
    let bytes = Array(level.utf8)
    guard bytes.contains(UInt8(ascii: "&")), let text = ModifiedUTF7.decode(bytes),
      ModifiedUTF7.encode(text) == bytes,
      !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else { return level }
    return text
  }
}
