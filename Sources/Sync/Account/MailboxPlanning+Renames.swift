import IMAPClient
import IMAPWire
import MailCore
import State

extension MailboxPlanning {
  /// The folders of renamed mailboxes follow. What cannot be decided now goes to `plan.unfollowed` with what failed.
  func follow(
    _ catalogue: MailboxCatalogue, _ session: IMAPSession, _ plan: inout Plan
  ) throws {
    var renames: [MailboxRenaming.Rename] = []
    var undecided: [MailboxRenaming.Rename] = []
    func isTaken(_ other: MailboxRenaming.Rename) -> Bool {
      renames.contains { $0.listing.name == other.listing.name || $0.record.id == other.record.id }
    }
    let listed = Set(catalogue.mirrored.map(\.listing.name))
    var unshown = UnshownMailboxes()
    for candidate in catalogue.renameCandidates() {
      let rename = (candidate.record, candidate.listing)
      if isTaken(rename) { continue }
      // A server that numbers all anew gives no reason to doubt names.
      let name = candidate.record.mailboxName
      if candidate.evidence == .nameOnly, listed.contains(name),
        !renames.contains(where: { $0.listing.name == name })
      {
        continue
      }
      switch try isSame(candidate, among: catalogue, session, &unshown) {
      case true?: renames.append(rename)
      case false?: break
      case nil: undecided.append(rename)
      }
    }
    var renaming = MailboxRenaming(context: context, waiting: undecided.filter { !isTaken($0) })
    plan.outcomes += try renaming.follow(renames)
    plan.unfollowed = renaming.failed
  }

  /// - Returns: nil where that cannot be known now, which was told.
  private func isSame(
    _ candidate: RenameCandidate, among catalogue: MailboxCatalogue, _ session: IMAPSession,
    _ unshown: inout UnshownMailboxes
  ) throws -> Bool? {
    let (record, listing) = (candidate.record, candidate.listing)
    func notShown(_ reason: String) -> SyncError {
      .mailboxNotShown(listing.name, mayBe: record.mailboxName, reason: reason)
    }
    var isSame: Bool?
    try context.sparing(record.name) {
      if candidate.evidence != .mailboxID, let reason = broken[listing.name] {
        throw notShown(reason)
      }
      do {
        isSame = try matches(candidate, among: catalogue, session, &unshown)
      } catch IMAPError.throttled(_, let words) where session.isUsable {
        // Whoever asks once more only lengthens it.
        throw notShown(words)
      } catch let error where mayBeStale && Self.isRefusal(error) {
        throw StaleList()
      } catch IMAPError.noSuchMailbox(let words) {
        throw notShown(words)
      } catch IMAPError.refused(_, let result) {
        throw notShown(result.text)
      } catch {
        guard case .connection = RunFailure(error), broken.count < 3 else { throw error }
        throw ConnectionBroken(by: listing.name, error)
      }
    }
    return isSame
  }

  private func matches(
    _ candidate: RenameCandidate, among catalogue: MailboxCatalogue, _ session: IMAPSession,
    _ unshown: inout UnshownMailboxes
  ) throws -> Bool {
    let (record, listing) = (candidate.record, candidate.listing)
    let remote = IMAPRemoteMailbox(session: session, labels: LabelPolicy(mirrored: [String]()))
    var isOnlyOne = false
    switch candidate.evidence {
    case .mailboxID: return true
    case .uidValidity: isOnlyOne = true
    case .sharedUIDValidity: break
    case .nameOnly:
      if mayBeStale, listing.statusFailure?.throttle == nil { throw StaleList() }
      guard try unshown.mayBe(record, listing, remote) else { return false }
      isOnlyOne = catalogue.isOnlyOne(uidValidityOf: record)
    }
    let identity = MailboxIdentity(context: context, record: record, isOnlyOne: isOnlyOne)
    return try identity.matches(listing, remote)
  }

  private static func isRefusal(_ error: any Error) -> Bool {
    switch error {
    case IMAPError.noSuchMailbox, IMAPError.refused, SyncError.uidValidityChanged,
      SyncError.mailboxNotShown:
      true
    default: false
    }
  }
}

/// What mailboxes turn out to be of which the list shows nothing but their names. Each is opened once.
private struct UnshownMailboxes {
  private typealias Shown = (uidValidity: UIDValidity, mailboxID: String?)
  private var looks: [MailboxName: Result<Shown, any Error>] = [:]

  /// Whether the number it has lets it be that one.
  ///
  /// - Throws: what keeps it from being opened, each time.
  mutating func mayBe(
    _ record: MailboxRecord, _ listing: MailboxListing, _ remote: IMAPRemoteMailbox
  ) throws -> Bool {
    let look =
      looks[listing.name]
      ?? Result {
        let target = MailboxTarget(name: listing.name, rawName: listing.rawName, uidValidity: nil)
        let delta = try remote.open(target, asking: .everything(marksUpTo: nil))
        return (delta.uidValidity, delta.mailboxID)
      }
    looks[listing.name] = look
    let shown = try look.get()
    if let known = record.mailboxID, let id = shown.mailboxID { return known == id }
    return shown.uidValidity.rawValue == record.uidValidity
  }
}
