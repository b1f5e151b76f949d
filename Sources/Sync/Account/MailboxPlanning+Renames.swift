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
      switch try isSame(candidate, session) {
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
  private func isSame(_ candidate: RenameCandidate, _ session: IMAPSession) throws -> Bool? {
    if candidate.evidence == .mailboxID { return true }
    let remote = IMAPRemoteMailbox(session: session, labels: LabelPolicy(mirrored: [String]()))
    let identity = MailboxIdentity(
      context: context, record: candidate.record, isOnlyOne: candidate.evidence == .uidValidity)
    func notShown(_ reason: String) -> any Error {
      if mayBeStale { return StaleList() }
      return SyncError.mailboxNotShown(
        candidate.listing.name, mayBe: candidate.record.mailboxName, reason: reason)
    }
    var isSame: Bool?
    try context.sparing(candidate.record.name) {
      do {
        if candidate.evidence == .nameOnly, mayBeStale { throw StaleList() }
        isSame = try identity.matches(candidate.listing, remote)
      } catch IMAPError.noSuchMailbox(let words) {
        throw notShown(words)
      } catch SyncError.uidValidityChanged where candidate.evidence == .nameOnly {
        isSame = false
      } catch SyncError.uidValidityChanged where mayBeStale {
        throw StaleList()
      } catch IMAPError.refused(_, let result) {
        throw notShown(result.text)
      } catch SyncError.mailboxNotShown where mayBeStale {
        throw StaleList()
      }
    }
    return isSame
  }
}
