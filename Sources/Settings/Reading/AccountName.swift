import MailCore

/// What an account may be called. Its name is its directory, the end of every file name in it, and a command's argument.
package enum AccountName {
  /// What is wrong with `name`, to follow “account NAME”; nil if nothing is.
  package static func fault(_ name: String) -> String? {
    let bytes = name.utf8.count
    switch true {
    case name.isEmpty: return "is empty"
    case bytes > 64: return "is longer than 64 bytes"
    case name.hasPrefix("."): return "begins with a dot"
    case name.hasPrefix("-"): return "begins with a dash, as options do"
    case ["cur", "new", "tmp"].contains(name.lowercased()): return "is a Maildir's own name"
    case name != name.visible: return "holds a control character"
    default: break
    }
    if let character = name.first(where: { "/:;!,\\*%".contains($0) || $0.isNewline }) {
      return "holds “\(character)”, which its directory or a message's file name cannot carry"
    }
    if name.first == " " || name.last == " " { return "begins or ends with a blank" }
    return nil
  }

  /// Equal for names that a file system without case takes for one. (Strings compare whatever their normal form.)
  static func key(_ name: String) -> String { name.lowercased() }
}
