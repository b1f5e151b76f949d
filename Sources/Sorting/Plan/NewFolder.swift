import MailCore
import Maildir

/// A folder that a move needs and that is not there yet.
package struct NewFolder: Sendable, Equatable {
  package let account: String
  /// As it was typed, levels joined by slashes.
  package let name: String
  /// Below the account.
  let place: FolderPath

  /// Below the root.
  var path: String { place.text(in: account) }

  /// `personal/Archive/2025`
  package var title: String { account + "/" + name }
  /// `the folder personal/Archive/2025`
  package var words: String { "the folder " + title }

  /// A folder is made on the server by the next push, so its name must be one that servers take: no empty levels, none
  /// that is a path of its own, no namespace, no wildcard.
  static func canBeMailbox(_ name: String) -> Bool {
    let levels = name.split(separator: "/", omittingEmptySubsequences: false)
    guard levels.allSatisfy({ level in !level.allSatisfy(\.isWhitespace) }) else { return false }
    return !levels.contains(".") && !levels.contains("..") && !name.hasPrefix("~")
      && !name.hasPrefix("#")
      && name.unicodeScalars.allSatisfy { scalar in
        scalar.value >= 0x20 && scalar.value != 0x7F && !"*%".unicodeScalars.contains(scalar)
      }
  }
}
