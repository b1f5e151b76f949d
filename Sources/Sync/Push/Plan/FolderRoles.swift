import MailCore
import State

/// What mailboxes are for: by SPECIAL-USE, else by the names that clients and servers agree on.
package struct FolderRoles {
  package private(set) var trash: Set<Int64> = []
  package private(set) var drafts: Set<Int64> = []
  package private(set) var sent: Set<Int64> = []

  package init(_ mailboxes: [MailboxRecord]) {
    trash = Self.find(.trash, mailboxes)
    drafts = Self.find(.drafts, mailboxes)
    sent = Self.find(.sent, mailboxes)
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

  private static func find(_ use: SpecialUse, _ mailboxes: [MailboxRecord]) -> Set<Int64> {
    let special = mailboxes.filter { $0.specialUse == use.rawValue }
    if !special.isEmpty { return Set(special.compactMap(\.id)) }
    return Set(mailboxes.filter { isNamed($0.mailboxName, names(of: use)) }.compactMap(\.id))
  }

  /// The name itself, or behind the `INBOX.` that some servers put before all.
  package static func isNamed(_ mailbox: MailboxName, _ names: Set<String>) -> Bool {
    var levels = mailbox.levels
    if levels.count == 2, levels[0] == "INBOX" { levels.removeFirst() }
    return levels.count == 1 && names.contains(Keywords.fold(levels[0]))
  }
}
