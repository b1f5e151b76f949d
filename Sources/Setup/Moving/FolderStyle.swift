import Foundation
import MailCore

/// How another program lays mailboxes out as directories.
package enum FolderStyle: Sendable, Equatable {
  /// `top/sub`: mbsync's Verbatim, offlineimap's `sep = /`.
  case verbatim
  /// `.top.sub` beside the INBOX's own files, `..sub` for what lies below the INBOX.
  case maildirPlusPlus
  /// `top/.sub/.subsub`: mbsync of old.
  case legacy
  /// `top.sub`: offlineimap's `sep`, mbsync's `Flatten`.
  case joined(Character)
  /// Whichever of the first three the names look like.
  case guessed

  /// The mailbox's levels; nil for a directory that the program would not have made.
  ///
  /// - Parameters:
  ///   - components: of the directory's place below the tree, or below the INBOX; not empty.
  ///   - belowInbox: they lie below the INBOX's own directory, which is not the tree's.
  package func levels(of components: [String], belowInbox: Bool = false) -> [String]? {
    guard let levels = raw(components, belowInbox), !levels.isEmpty, !levels.contains("") else {
      return nil
    }
    return levels.map(Self.decoded)
  }

  private func raw(_ components: [String], _ belowInbox: Bool) -> [String]? {
    switch self {
    case .verbatim: return (belowInbox ? [Self.inbox] : []) + components
    case .maildirPlusPlus:
      guard components.count == 1, let name = Self.behindDot(components[0]) else { return nil }
      return Self.dotted(name)
    case .legacy:
      var levels = belowInbox ? [Self.inbox] : []
      for component in components {
        guard !levels.isEmpty else {
          levels.append(component)
          continue
        }
        guard let name = Self.behindDot(component) else { return nil }
        levels.append(String(name))
      }
      return levels
    case .joined(let separator):
      guard components.count == 1, !belowInbox else { return nil }
      let levels = components[0].split(separator: separator, omittingEmptySubsequences: false)
      // Names that begin with the separator make a Maildir++ of it.
      return (levels.first == "" ? levels.dropFirst() : levels[...]).map(String.init)
    case .guessed: return Self.guess(components, belowInbox)
    }
  }

  private static let inbox = "INBOX"

  private static func guess(_ components: [String], _ belowInbox: Bool) -> [String] {
    var levels = belowInbox ? [inbox] : []
    for component in components {
      guard let name = behindDot(component) else {
        levels.append(component)
        continue
      }
      // A dot begins a whole name right below the account or its INBOX, and one level elsewhere.
      if levels.isEmpty || levels.count == 1 && Keywords.fold(levels[0]) == "inbox" {
        levels = dotted(name)
      } else {
        levels.append(String(name))
      }
    }
    return levels
  }

  /// `top.sub`, or `.sub` below the INBOX.
  private static func dotted(_ name: Substring) -> [String] {
    let isBelowInbox = name.hasPrefix(".")
    let levels = (isBelowInbox ? name.dropFirst() : name)
      .split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    return isBelowInbox ? [inbox] + levels : levels
  }

  private static func behindDot(_ component: String) -> Substring? {
    component.hasPrefix(".") && component.utf8.count > 1 ? component.dropFirst() : nil
  }

  /// Modified UTF-7, as servers have it, where an encoder would have written just this; in NFC.
  static func decoded(_ level: String) -> String {
    let bytes = Array(level.utf8)
    guard bytes.contains(UInt8(ascii: "&")), let text = ModifiedUTF7.decode(bytes),
      ModifiedUTF7.encode(text) == bytes
    else { return level.precomposedStringWithCanonicalMapping }
    return text.precomposedStringWithCanonicalMapping
  }
}
