import IMAPWire
import Ledger
import MailCore
import Settings

/// Labels and mailboxes of a Gmail account: which label is which mailbox, and which keywords can be labels.
///
/// Every label is a mailbox, and a message is in the mailboxes of all its labels; Trash and Spam hold what has no other.
package struct GmailLabels {
  /// Mirrored mailboxes by the folded names of the label that stands for them; without a key where one was never pulled.
  private var mirrored: [String: MirroredMailbox] = [:]
  private var uses: [MailboxKey: Set<SpecialUse>] = [:]
  /// `[Gmail]`, however it is called in the account's language.
  private var parents: Set<String> = []
  /// What the archive is called: every message but those in Trash and Spam. Nil where the account hides it from IMAP.
  package let all: MailboxListing?
  /// Nil where the account hides it from IMAP.
  package let trash: MailboxListing?

  package init(
    listings: [MailboxListing], records: some Sequence<MailboxRecord>, folders: FolderPatterns
  ) {
    all = listings.first { $0.specialUse.contains(.all) && $0.isSelectable }
    trash = listings.first { $0.specialUse.contains(.trash) && $0.isSelectable }
    let ids = Dictionary(records.map { ($0.mailboxName, $0.id) }) { first, _ in first }
    for listing in listings where listing.isSelectable {
      let id = ids[listing.name]
      if let id { uses[id, default: []].formUnion(listing.specialUse) }
      if !listing.specialUse.isEmpty, listing.name.levels.count > 1,
        let parent = listing.name.levels.first
      {
        parents.insert(Keywords.fold(parent))
      }
      guard MailboxCatalogue.isMirrored(listing, folders) else { continue }
      for name in Self.labels(of: listing) where mirrored[name]?.key == nil {
        mirrored[name] = MirroredMailbox(key: id)
      }
    }
  }

  /// As X-GM-LABELS names the mailbox, folded.
  private static func labels(of listing: MailboxListing) -> [String] {
    var names = [Keywords.fold(listing.name.text)]
    if listing.name.isInbox { names.append("\\inbox") }
    for use in listing.specialUse {
      switch use {
      case .sent: names.append("\\sent")
      case .drafts: names += ["\\draft", "\\drafts"]
      case .flagged: names += ["\\starred", "\\flagged"]
      case .important: names.append("\\important")
      case .junk: names += ["\\spam", "\\junk"]
      case .trash: names.append("\\trash")
      case .all, .archive: break
      }
    }
    return names
  }

  /// The mirrored mailbox that this label is; nil where it is none.
  package func mailbox(of label: String) -> MirroredMailbox? { mirrored[Keywords.fold(label)] }

  package struct MirroredMailbox: Equatable, Sendable {
    /// Nil where it has no record yet.
    package let key: MailboxKey?
  }

  package func use(_ mailbox: MailboxKey, _ use: SpecialUse) -> Bool {
    uses[mailbox]?.contains(use) ?? false
  }

  /// Trash and Spam: what goes there leaves every other mailbox.
  package func isExclusive(_ mailbox: MailboxKey) -> Bool {
    use(mailbox, .trash) || use(mailbox, .junk)
  }

  /// Whether messages stay in a mailbox whatever else happens to them, short of Trash and Spam: All Mail, and the labels
  /// that Gmail gives by itself.
  package func isLasting(_ mailbox: MailboxKey) -> Bool {
    use(mailbox, .all) || use(mailbox, .sent) || use(mailbox, .drafts)
  }

  /// Whether a keyword of the tree can be a label. A mailbox that is mirrored is a folder here, and no keyword.
  package func canHold(_ keyword: String) -> Bool {
    let folded = Keywords.fold(keyword)
    if mirrored[folded] != nil { return false }
    if folded.hasPrefix("\\") { return Self.settable.contains(folded) }
    let levels = folded.split(separator: "/", omittingEmptySubsequences: false)
    guard !Self.reserved.contains(folded), !parents.contains(String(levels[0])),
      keyword.utf8.count <= Self.longest,
      keyword.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F && $0 != "^" })
    else { return false }
    return levels.allSatisfy { level in
      level.first.map { $0 != " " } ?? false && level.last != " " && !level.contains("  ")
    }
  }

  /// System labels without a mailbox or a flag of their own.
  private static let settable: Set<String> = ["\\important", "\\muted"]
  /// Names that Gmail keeps to itself: as labels they would be something else than a keyword.
  private static let reserved: Set<String> = [
    "inbox", "trash", "bin", "spam", "sent", "sent mail", "draft", "drafts", "starred", "important",
    "unread", "chat", "chats", "all mail", "muted", "snoozed", "scheduled",
  ]
  private static let longest = 225  // bytes
}

extension SelectedMailbox {
  /// A keyword that is a flag here, and no label: Gmail has a few of its own.
  package func lists(_ keyword: String) -> Bool {
    let folded = Keywords.fold(keyword)
    return IMAPCommand.isKeyword(keyword)
      && (flags + (permanentFlags ?? [])).contains { Keywords.fold($0) == folded }
  }
}
