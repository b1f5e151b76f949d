import IMAPWire
import Ledger
import MailCore

/// What mailboxes are for: by SPECIAL-USE, else by the names that clients and servers agree on.
package struct FolderRoles: Equatable, Sendable {
  package private(set) var trash: Set<MailboxKey> = []
  package private(set) var drafts: Set<MailboxKey> = []
  package private(set) var sent: Set<MailboxKey> = []

  /// As the last list left it in the state.
  package init(_ mailboxes: [MailboxRecord]) {
    trash = Self.find(.trash, mailboxes)
    drafts = Self.find(.drafts, mailboxes)
    sent = Self.find(.sent, mailboxes)
  }

  /// As this very run's list shows it, also by mailboxes that are not mirrored: only then may a message be expunged for
  /// good, or a draft replaced.
  ///
  /// - Parameters:
  ///   - isSilent: the list shows no mailbox's use, and was not asked to: a name counts only where no mailbox is known to
  ///     be for that use.
  ///   - hasLabels: on Gmail a label that a person called Trash is a label; the trash itself may be hidden.
  package init(
    _ records: some Collection<MailboxRecord>, listed listings: [MailboxListing], isSilent: Bool,
    hasLabels: Bool
  ) {
    let selectable = listings.filter(\.isSelectable)
    func find(_ use: SpecialUse, byName: Bool = true) -> Set<MailboxKey> {
      let known = records.filter { !$0.isGone && $0.specialUse == use.rawValue }
      if isSilent, !known.isEmpty { return Set(known.map(\.id)) }
      let marked = selectable.filter { $0.specialUse.contains(use) }
      let uses = Self.names(of: use)
      let wanted =
        marked.isEmpty && byName
        ? selectable.filter { Self.isNamed($0.name, uses) } : marked
      let names = Set(wanted.map(\.name))
      return Set(records.filter { !$0.isGone && names.contains($0.mailboxName) }.map(\.id))
    }
    trash = find(.trash, byName: !hasLabels)
    drafts = find(.drafts)
    sent = find(.sent)
  }

  /// What clients and servers call mailboxes of this use, folded.
  package static func names(of use: SpecialUse) -> Set<String> {
    switch use {
    case .trash: ["trash", "deleted items", "deleted messages", "bin", "deleted"]
    case .sent: ["sent", "sent items", "sent messages", "sent mail", "sent-mail"]
    case .archive: ["archive", "archives"]
    case .junk: ["junk", "spam"]
    case .all, .drafts, .flagged, .important: [use.rawValue]
    }
  }

  private static func find(_ use: SpecialUse, _ mailboxes: [MailboxRecord]) -> Set<MailboxKey> {
    let special = mailboxes.filter { $0.specialUse == use.rawValue }
    if !special.isEmpty { return Set(special.map(\.id)) }
    return Set(mailboxes.filter { isNamed($0.mailboxName, names(of: use)) }.map(\.id))
  }

  /// The name itself, or the name after the `INBOX.` that some servers put before all.
  package static func isNamed(_ mailbox: MailboxName, _ names: Set<String>) -> Bool {
    var levels = mailbox.levels
    if levels.count == 2, levels[0] == "INBOX" { levels.removeFirst() }
    return levels.count == 1 && names.contains(Keywords.fold(levels[0]))
  }
}
