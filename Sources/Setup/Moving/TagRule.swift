import MailCore

/// What a notmuch tag becomes here.
package enum TagRule: Sendable, Equatable {
  case keyword
  /// The file's name says it already.
  case flag
  /// notmuch, or its usual set-up, gives it by itself.
  case automatic
  /// The message's folder says it.
  case place
  /// Servers take no such keyword (RFC 9051 section 9, flag-keyword).
  case unfit

  /// - Parameter folder: the mailbox that the message lies in.
  package init(_ tag: String, in folder: String) {
    let folded = Keywords.fold(tag)
    let place = Keywords.fold(folder)
    if Self.flagTags.contains(folded) {
      self = .flag
    } else if Self.automaticTags.contains(folded) {
      self = .automatic
    } else if Self.placeTags.contains(folded) || folded == place
      || place.split(separator: "/").last.map(String.init) == folded
    {
      self = .place
    } else {
      self = Self.isAtom(tag) ? .keyword : .unfit
    }
  }

  /// Why the tag is left out; nil for one that is not.
  package var reason: String? {
    switch self {
    case .keyword: nil
    case .flag: "the file names tell it"
    case .automatic: "notmuch gives it by itself"
    case .place: "the folder tells it"
    case .unfit: "no server takes it as a keyword"
    }
  }

  private static let flagTags: Set<String> = [
    "unread", "flagged", "replied", "passed", "draft", "seen", "answered", "forwarded",
  ]
  private static let automaticTags: Set<String> = ["attachment", "encrypted", "signed", "new"]
  private static let placeTags: Set<String> = ["inbox", "sent"]

  private static func isAtom(_ tag: String) -> Bool {
    !tag.isEmpty && tag.utf8.count <= 200
      && tag.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"(){%*\"\\],".utf8.contains($0) }
  }
}
