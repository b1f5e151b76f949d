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
        !(renames + undecided.map(\.rename)).contains(where: { $0.listing.name == name })
      {
        continue
      }
      switch try judgment(of: candidate, session, &unshown) {
      case .same: renames.append(rename)
      case .another: break
      case .undecided(let problem): undecided.append((rename, problem))
      }
    }
    undecided.removeAll { isTaken($0.rename) }
    var renaming = MailboxRenaming(context: context, waiting: undecided.map(\.rename))
    let outcomes = try renaming.follow(renames)
    return Followed(
      outcomes: outcomes, unfollowed: renaming.failed, problems: undecided.map(\.problem))
  }

  private enum Judgment {
    case same, another
    /// What failed keeps it from being known in this run.
    case undecided(RunProblem)
  }

  private func judgment(
    of candidate: RenameCandidate, _ session: IMAPSession, _ unshown: inout UnshownMailboxes
  ) throws -> Judgment {
    if candidate.evidence == .mailboxID { return .same }
    let (record, listing) = (candidate.record, candidate.listing)
    func undecided(_ reason: String) -> Judgment {
      let error = SyncError.mailboxNotShown(
        listing.name, mayBe: record.mailboxName, reason: reason)
      return .undecided(RunProblem(error, mailbox: record.name))
    }
    if let reason = broken[listing.name] { return undecided(reason) }
    do {
      return try matches(candidate, session, &unshown) ? .same : .another
    } catch IMAPError.throttled(_, let words) where session.isUsable {
      // Whoever asks once more only lengthens it.
      return undecided(words)
    } catch let error where mayBeStale && Self.isRefusal(error) {
      throw StaleList()
    } catch IMAPError.noSuchMailbox(let words) {
      return undecided(words)
    } catch IMAPError.refused(_, let result) {
      return undecided(result.text)
    } catch {
      switch RunFailure(error) {
      case .mailbox: return .undecided(RunProblem(error, mailbox: record.name))
      case .connection where broken.count < 3: throw ConnectionBroken(by: listing.name, error)
      case .connection, .run: throw error
      }
    }
  }

  private func matches(
    _ candidate: RenameCandidate, _ session: IMAPSession, _ unshown: inout UnshownMailboxes
  ) throws -> Bool {
    let (record, listing) = (candidate.record, candidate.listing)
    let connection = RemoteConnection(
      session: session, labels: LabelPolicy(mirrored: [String]()), policy: context.policy)
    if candidate.evidence == .nameOnly {
      if mayBeStale, listing.statusFailure?.throttle == nil { throw StaleList() }
      guard try unshown.mayBe(record, listing, connection) else { return false }
    }
    let identity = MailboxIdentity(
      context: context, record: record, isOnlyOne: candidate.evidence == .uidValidity,
      isNumberedAnew: candidate.evidence == .sameCounts)
    let isSame = try connection.withMailbox(MailboxTarget(listing)) {
      try identity.matches(listing, $0)
    }
    // The number is the same; with its STATUS less would have been enough.
    if candidate.evidence == .nameOnly, !isSame, let refusal = listing.statusFailure,
      let throttle = refusal.throttle
    {
      throw IMAPError.throttled(seconds: throttle.seconds, refusal.text)
    }
    return isSame
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
    _ record: MailboxRecord, _ listing: MailboxListing, _ connection: RemoteConnection
  ) throws -> Bool {
    let look =
      looks[listing.name]
      ?? Result {
        let delta = try connection.withMailbox(MailboxTarget(listing)) {
          try $0.delta(asking: .everything(marksUpTo: nil))
        }
        return (delta.uidValidity, delta.mailboxID)
      }
    looks[listing.name] = look
    let shown = try look.get()
    if let known = record.mailboxID, let id = shown.mailboxID { return known == id }
    return shown.uidValidity.rawValue == record.uidValidity
  }
}
