import Foundation
import IMAPClient
import IMAPWire
import Ledger
import MailCore
import Settings
import State
import SyncPlan

/// The account's mailboxes: what the state knows of them, and what this run's list of the server's shows.
final class KnownMailboxes {
  private let context: AccountContext
  private let session: IMAPSession
  let folders: FolderPatterns
  /// Mailboxes are labels: a message may be in several.
  private let hasLabels: Bool
  private(set) var records: [MailboxKey: MailboxRecord] = [:]
  private(set) var listings: [MailboxListing]
  /// Made anew where there are more mailboxes than then.
  private var lastLabels: (count: Int, labels: GmailLabels)?

  init(
    _ listings: [MailboxListing], session: IMAPSession, folders: FolderPatterns,
    hasLabels: Bool, _ context: AccountContext
  ) throws {
    self.listings = listings
    self.session = session
    self.folders = folders
    self.hasLabels = hasLabels
    self.context = context
    try readRecords()
  }

  func readRecords() throws {
    records = [:]
    for record in try context.state.mailboxes() { remember(record) }
  }

  func remember(_ record: MailboxRecord) { records[record.id] = record }

  func save(_ record: MailboxRecord) throws {
    try context.state.save(record)
    context.noteChange()
    remember(record)
  }

  func name(_ mailbox: MailboxKey) -> String { records[mailbox]?.name ?? "?" }

  /// INBOX first, the others by name.
  func order(_ a: MailboxKey, _ b: MailboxKey) -> Bool {
    guard let one = records[a], let other = records[b] else { return a < b }
    return one.mailboxName.order < other.mailboxName.order
  }

  // MARK: The server's list

  func listing(of record: MailboxRecord) -> MailboxListing? {
    listings.last { $0.name == record.mailboxName && $0.isSelectable }
  }

  func isListed(_ record: MailboxRecord) -> Bool { listing(of: record) != nil }

  var delimiter: Character? { listings.lazy.compactMap(\.delimiter).first }

  /// UIDNEXT as the server told at the start of the run: nothing that this run makes lies below it.
  func uidNext(of record: MailboxRecord) -> UInt32 {
    listing(of: record)?.status?.uidNext?.rawValue ?? max(1, record.uidNext)
  }

  func uidValidity(of record: MailboxRecord) -> UInt32 {
    if record.uidValidity != 0 { return record.uidValidity }
    return listing(of: record)?.status?.uidValidity?.rawValue ?? 0
  }

  /// COPYUID and APPENDUID speak of the mailbox that the state knows; of one that was never opened they tell.
  func accepts(_ validity: UIDValidity, of mailbox: MailboxKey) -> Bool {
    guard let record = records[mailbox] else { return false }
    return record.uidValidity == 0 || record.uidValidity == validity.rawValue
  }

  func add(_ listing: MailboxListing) { listings.append(listing) }

  /// Nothing has the old names any more: a folder that is called so now becomes a mailbox of its own.
  func relist(_ renamed: RenamedMailbox) {
    let (old, new) = (renamed.before, renamed.after)
    let branch = BranchMove(old: old.name, new: new.name, separator: old.separator)
    for index in listings.indices {
      let rest = listings[index].rawName.dropFirst(old.rawName.count)
      guard listings[index].rawName.starts(with: old.rawName),
        rest.isEmpty || rest.starts(with: old.separator.utf8)
      else { continue }
      let raw = new.rawName + rest
      listings[index].rawName = raw
      listings[index].name = MailboxName(
        branch.name(of: listings[index].name.text) ?? session.names.decode(raw),
        delimiter: listings[index].delimiter)
    }
    lastLabels = nil
  }

  /// With some servers what a mailbox is for goes along to its new name, with others it stays with the old one.
  func renewUses(of renamed: [RenamedMailbox]) throws {
    guard renamed.contains(where: { listing(of: $0.after)?.specialUse.isEmpty == false }) else {
      return
    }
    // Else the mark counts as gone along, as with most servers.
    guard let uses = try session.uses() else { return }
    for index in listings.indices {
      listings[index].specialUse = uses[listings[index].rawName] ?? []
    }
    lastLabels = nil
  }

  // MARK: What they are for

  /// What mailboxes are for by this run's list. Nothing is expunged for good, and no draft replaced, on an older one's
  /// word.
  var roles: FolderRoles {
    let isSilent = !session.hasListedUses && listings.allSatisfy { $0.specialUse.isEmpty }
    return FolderRoles(records.values, listed: listings, isSilent: isSilent, hasLabels: hasLabels)
  }

  /// - Returns: whether mailboxes are for something else than the state knew.
  func updateRoles() throws -> Bool {
    guard try context.takeRoles(listings, from: session) else { return false }
    try readRecords()
    return true
  }

  /// Nil where mailboxes are no labels.
  var labels: GmailLabels? { hasLabels ? gmailLabels : nil }

  var gmailLabels: GmailLabels {
    let count = listings.count + records.count
    if let lastLabels, lastLabels.count == count { return lastLabels.labels }
    let labels = GmailLabels(listings: listings, records: records.values, folders: folders)
    lastLabels = (count, labels)
    return labels
  }

  // MARK: What pulls know

  /// Whether no pull has seen the message yet: only the server's word at the end of a push tells of its UID.
  func isUnconfirmed(_ uid: UID, in mailbox: MailboxKey) -> Bool {
    records[mailbox].map { uid.rawValue > $0.forwardCursor } ?? false
  }

  /// Whether a message is looked at before its flags are changed.
  func isDoubtful(_ uid: UID, in mailbox: MailboxKey) -> Bool {
    isUnconfirmed(uid, in: mailbox) || session.quirks.contains(.unstableUIDs)
  }

  /// The server has more there than the state knows by now: the next pull looks at all of it, whatever the counters say.
  func listAgain(_ mailbox: MailboxKey) throws {
    guard var record = records[mailbox], !record.isDirty else { return }
    record.isDirty = true
    try save(record)
  }

  /// Messages came or went by this push: what the last pull counted holds no longer. The next one looks, and be it that
  /// the server shows just what it showed then, since it was restored from a backup.
  func forgetCount(of mailbox: MailboxKey, _ transaction: StateTransaction) throws {
    try transaction.setPushed(at: Int64(Date().timeIntervalSince1970), in: mailbox)
    guard var record = records[mailbox], record.exists != MailboxRecord.uncounted else { return }
    record.exists = MailboxRecord.uncounted
    try transaction.save(record)
    remember(record)
  }

  /// Forgotten here, so that the next pull brings what the server has.
  func leaveToPull(_ uid: UID, in mailbox: MailboxKey) throws {
    try context.state.transaction { try $0.remove(uid, from: mailbox) }
    try listAgain(mailbox)
  }
}
