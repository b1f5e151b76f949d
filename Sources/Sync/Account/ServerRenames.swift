import IMAPClient
import IMAPWire
import Ledger
import MailCore
import Remote
import SyncPlan

/// Another client was at work since the list was made: what it shows as gone is not to be trusted. Only renames that
/// were certain may have been carried out, and the session is over.
struct StaleList: ReachingFailure {
  var reach: RunFailure { .run }
}

/// The connection did not outlive a look into this mailbox. Nothing was done yet.
struct ConnectionBroken: ReachingFailure {
  let name: MailboxName
  let reason: String
  var reach: RunFailure { .run }

  init(by name: MailboxName, _ error: any Error) {
    self.name = name
    reason = RunProblem(error).problem
  }
}

/// Which mailboxes the server renamed; their folders follow.
struct ServerRenames {
  struct Followed {
    var outcomes: [MailboxOutcome]
    /// Mailboxes whose folders could not follow them to their new names, or of which cannot be known now whether they are
    /// renamed.
    var unfollowed: [MailboxRenaming.Rename]
    /// Of the latter, to be told once nothing is planned anew.
    var problems: [RunProblem]
  }

  let context: AccountContext
  /// Whether a listed mailbox that is not there is a reason to list once more.
  let mayBeStale: Bool
  /// Mailboxes that broke an earlier connection of this run when they were looked into, each with what was said.
  let broken: [MailboxName: String]

  func follow(_ catalogue: MailboxCatalogue, _ session: IMAPSession) throws -> Followed {
    var renames: [MailboxRenaming.Rename] = []
    var undecided: [(rename: MailboxRenaming.Rename, problem: RunProblem)] = []
    let listed = Set(catalogue.mirrored.map(\.listing.name))
    for candidates in catalogue.renameCandidates() {
      let listing = candidates.listing
      let named = Set((renames + undecided.map(\.rename)).map(\.listing.name))
      let taken = Set(renames.map(\.record.id))
      let open = candidates.records.filter { record, _ in
        if taken.contains(record.id) { return false }
        // A server that numbers all anew gives no reason to doubt names.
        return listing.status != nil || !listed.contains(record.mailboxName)
          || named.contains(record.mailboxName)
      }
      switch try judgment(of: RenameCandidates(listing: listing, records: open), session) {
      case .one(let record): renames.append((record, listing))
      case .none: break
      case .undecided(let records, let reason):
        undecided += records.map { record in
          let error = SyncError.mailboxNotShown(
            listing.name, mayBe: record.mailboxName, reason: reason)
          return ((record, listing), RunProblem(error, mailbox: record.name))
        }
      }
    }
    undecided.removeAll { one in
      renames.contains {
        $0.listing.name == one.rename.listing.name || $0.record.id == one.rename.record.id
      }
    }
    var renaming = MailboxRenaming(context: context, waiting: undecided.map(\.rename))
    let outcomes = try renaming.follow(renames)
    return Followed(
      outcomes: outcomes, unfollowed: renaming.failed, problems: undecided.map(\.problem))
  }

  private enum Judgment {
    case one(MailboxRecord)
    case none
    /// What failed keeps it from being known in this run whether it is one of these.
    case undecided([MailboxRecord], reason: String)
  }

  private func judgment(of candidates: RenameCandidates, _ session: IMAPSession) throws -> Judgment
  {
    guard let best = candidates.records.first else { return .none }
    if best.evidence == .mailboxID { return .one(best.record) }
    let listing = candidates.listing
    func undecided(_ reason: String) -> Judgment {
      .undecided(candidates.records.map(\.record), reason: reason)
    }
    if let reason = broken[listing.name] { return undecided(reason) }
    if listing.status == nil, mayBeStale, listing.statusFailure?.throttle == nil {
      throw StaleList()
    }
    do {
      return try match(candidates, session)
    } catch IMAPError.throttled(_, let words) where session.isUsable {
      // Whoever asks once more only lengthens it.
      return undecided(words)
    } catch let error where mayBeStale && Self.isRefusal(error) {
      throw StaleList()
    } catch SyncError.mailboxNotShown(_, _, let words) {
      return undecided(words)
    } catch IMAPError.noSuchMailbox(let words) {
      return undecided(words)
    } catch IMAPError.refused(_, let result) {
      return undecided(result.text)
    } catch {
      switch RunFailure(error) {
      case .mailbox: return undecided(RunProblem(error).problem)
      case .connection where broken.count < 3: throw ConnectionBroken(by: listing.name, error)
      case .connection, .run: throw error
      }
    }
  }

  /// Looks into the mailbox once, however many records it may be.
  private func match(_ candidates: RenameCandidates, _ session: IMAPSession) throws -> Judgment {
    let listing = candidates.listing
    let connection = RemoteConnection(
      session: session, labels: LabelPolicy(mirrored: [String]()), policy: context.policy)
    return try connection.withMailbox(MailboxTarget(listing)) { remote in
      let identity = try MailboxIdentity(context: context, listing: listing, remote)
      for (record, evidence) in candidates.records
      where try identity.matches(record, evidence, remote) {
        return .one(record)
      }
      // With its STATUS less might have been enough.
      guard listing.status == nil, let refusal = listing.statusFailure, refusal.throttle != nil
      else { return .none }
      let alike = candidates.records.map(\.record).filter(identity.hasNumber)
      return .undecided(alike, reason: refusal.text)
    }
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
