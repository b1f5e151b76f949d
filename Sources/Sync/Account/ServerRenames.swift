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
    let candidates = catalogue.renameCandidates()
    let listed = Set(catalogue.mirrored.map(\.listing.name))
    var looks: [MailboxName: Look] = [:]
    for candidate in candidates {
      let rename = (candidate.record, candidate.listing)
      if isTaken(rename) { continue }
      let (name, new) = (candidate.record.mailboxName, candidate.listing.name)
      // A server that numbers all anew gives no reason to doubt names.
      if candidate.listing.status == nil, listed.contains(name),
        !(renames + undecided.map(\.rename)).contains(where: { $0.listing.name == name })
      {
        continue
      }
      if candidate.evidence == .mailboxID {
        renames.append(rename)
        continue
      }
      let look =
        try looks[new]
        ?? self.look(
          into: candidate.listing, session,
          for: candidates.filter {
            $0.listing.name == new && !isTaken(($0.record, candidate.listing))
          })
      looks[new] = look
      if look.same.contains(candidate.record.id) { renames.append(rename) }
      if let problem = look.undecided[candidate.record.id] { undecided.append((rename, problem)) }
    }
    undecided.removeAll { isTaken($0.rename) }
    var renaming = MailboxRenaming(context: context, waiting: undecided.map(\.rename))
    let outcomes = try renaming.follow(renames)
    return Followed(
      outcomes: outcomes, unfollowed: renaming.failed, problems: undecided.map(\.problem))
  }

  /// What a mailbox turned out to be.
  private struct Look {
    var same: Set<MailboxKey> = []
    /// What failed keeps it from being known in this run whether it is one of these.
    var undecided: [MailboxKey: RunProblem] = [:]
  }

  /// Opens the mailbox once, however many records it may be.
  private func look(
    into listing: MailboxListing, _ session: IMAPSession, for candidates: [RenameCandidate]
  ) throws -> Look {
    var look = Look()
    func leave(_ candidates: some Sequence<RenameCandidate>, _ doubt: Doubt) {
      for candidate in candidates {
        look.undecided[candidate.record.id] = doubt.problem(candidate.record, listing)
      }
    }
    if let reason = broken[listing.name] {
      leave(candidates, .notShown(reason))
      return look
    }
    if listing.status == nil, mayBeStale, listing.statusFailure?.throttle == nil {
      throw StaleList()
    }
    let connection = RemoteConnection(
      session: session, labels: LabelPolicy(mirrored: [String]()), policy: context.policy)
    do {
      try connection.withMailbox(MailboxTarget(listing)) { remote in
        let identity = try MailboxIdentity(
          context: context, listing: listing, remote.delta(asking: .everything(marksUpTo: nil)))
        for candidate in candidates {
          do {
            if try identity.matches(candidate.record, candidate.evidence, remote) {
              look.same.insert(candidate.record.id)
            } else if let throttle = listing.throttle, identity.hasNumber(of: candidate.record) {
              // With its STATUS less might have been enough.
              leave([candidate], .notShown(throttle))
            }
          } catch {
            leave([candidate], try doubt(from: error, listing, session))
          }
        }
      }
    } catch {
      leave(candidates, try doubt(from: error, listing, session))
    }
    return look
  }

  private enum Doubt {
    case notShown(_ reason: String)
    case failed(any Error)

    func problem(_ record: MailboxRecord, _ listing: MailboxListing) -> RunProblem {
      switch self {
      case .notShown(let reason):
        RunProblem(
          SyncError.mailboxNotShown(listing.name, mayBe: record.mailboxName, reason: reason),
          mailbox: record.name)
      case .failed(let error): RunProblem(error, mailbox: record.name)
      }
    }
  }

  /// - Throws: what is no reason to go on without this mailbox.
  private func doubt(
    from error: any Error, _ listing: MailboxListing, _ session: IMAPSession
  ) throws -> Doubt {
    switch error {
    // Whoever asks once more only lengthens it.
    case IMAPError.throttled(_, let words) where session.isUsable: return .notShown(words)
    case let error where mayBeStale && Self.isRefusal(error): throw StaleList()
    case IMAPError.noSuchMailbox(let words): return .notShown(words)
    case IMAPError.refused(_, let result): return .notShown(result.text)
    default:
      switch RunFailure(error) {
      case .mailbox: return .failed(error)
      case .connection where broken.count < 3: throw ConnectionBroken(by: listing.name, error)
      case .connection, .run: throw error
      }
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

extension MailboxListing {
  /// The server's words, where it has no time to show more than the name.
  fileprivate var throttle: String? {
    guard status == nil, let refusal = statusFailure, refusal.throttle != nil else { return nil }
    return refusal.text
  }
}
