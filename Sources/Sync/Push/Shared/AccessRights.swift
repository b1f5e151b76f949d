import IMAPWire
import Ledger
import MailCore
import Remote
import SyncPlan

/// What the server lets this account do in mailboxes of others. It is asked before the first change, and where a change
/// was refused: what it denies is said, kept, and not asked for again until `--full`.
final class AccessRights {
  private let remote: RemoteConnection
  private let known: KnownMailboxes
  private let refusals: RefusalBook
  private let report: PushReport
  /// Of mailboxes that were asked about; nil where all may be tried.
  private var told: [MailboxKey: MailboxRights?] = [:]

  init(
    _ remote: RemoteConnection, _ known: KnownMailboxes, _ refusals: RefusalBook,
    _ report: PushReport
  ) {
    self.remote = remote
    self.known = known
    self.refusals = refusals
    self.report = report
  }

  /// As far as the server was asked.
  func toldRights(in mailbox: MailboxKey) -> MailboxRights? { told[mailbox] ?? nil }

  /// Nil where all may be tried: in the account's own mailboxes, and where the server does not tell.
  ///
  /// - Parameter isDoubtful: the server has refused something there.
  func rights(in mailbox: MailboxKey, isDoubtful: Bool = false) throws -> MailboxRights? {
    if let known = told[mailbox] { return known }
    guard let record = known.records[mailbox], isDoubtful || remote.isForeign(record.rawName) else {
      return nil
    }
    let rights = try remote.rights(in: record.rawName)
    told[mailbox] = .some(rights)
    return rights
  }

  /// Whether new messages may be put into a mailbox; says so where not.
  func mayReceive(_ count: Int, _ mailbox: MailboxKey) throws -> Bool {
    try may(\.mayInsert, in: mailbox, count, .uploads, mailbox)
  }

  /// Whether messages may be moved from one mailbox to another; says so where not.
  func mayMove(_ count: Int, from mailbox: MailboxKey, to target: MailboxKey) throws -> Bool {
    try may(\.mayTakeAway, in: mailbox, count, .moves(to: target), mailbox)
      && may(\.mayInsert, in: target, count, .moves(to: target), mailbox)
  }

  /// Whether messages may be deleted; says so where not.
  func mayDelete(_ count: Int, in mailbox: MailboxKey) throws -> Bool {
    try may(\.mayTakeAway, in: mailbox, count, .deletions, mailbox)
  }

  private func may(
    _ isAllowed: (MailboxRights) -> Bool, in place: MailboxKey, _ count: Int,
    _ subject: RefusalSubject, _ mailbox: MailboxKey
  ) throws -> Bool {
    guard let rights = try rights(in: place), !isAllowed(rights) else { return true }
    try refusals.refuse(mailbox, subject, "rights: \(rights.letters)", isFinal: true)
    report.count(
      PushAction(.waiting, mailbox: known.name(mailbox), detail: "no right to it", count: count))
    report.tell(
      RunProblem(
        mailbox: known.name(mailbox),
        problem: "You have no right to these changes here (\(words(subject)))\(rights.quoted): "
          + "they stay on this side.",
        remedy: "Ask the mailbox's owner for it; `mirror push --full` tries again."))
    return false
  }

  /// Not now, or not without a right that somebody else must give: the person's work stays as it is.
  ///
  /// - Parameter subject: of the refusal, counted where the server denies a right.
  func leavePending(
    _ count: Int, _ subject: RefusalSubject, _ result: TaggedResult, _ mailbox: MailboxKey
  ) throws {
    let what = words(subject)
    let isDenied = result.code == .noPermission
    if isDenied {
      let isFinal = try lacksRight(to: subject, in: mailbox)
      try refusals.refuse(mailbox, subject, result.text, isFinal: isFinal)
    } else {
      try refusals.keepWords(mailbox, subject, result)
    }
    report.count(
      PushAction(
        .waiting, mailbox: known.name(mailbox), detail: "the server said no", count: count))
    report.tell(
      RunProblem(
        mailbox: known.name(mailbox),
        problem: isDenied
          ? "You have no right to these changes here (\(what))\(result.quoted): they stay on this side."
          : "The server \(reason(result)) (\(what))\(result.quoted): "
            + (count == 1 ? "1 change waits." : "\(count) changes wait."),
        remedy: isDenied
          ? "Ask the mailbox's owner for it; `mirror push --full` tries again."
          : RefusalRemedy(change: .change, obstacle: result.obstacle).words))
  }

  private func reason(_ result: TaggedResult) -> String {
    switch result.obstacle {
    case nil: "cannot do this now"
    case .room: "has no room for this"
    case .limit: "has reached a limit"
    case .size: "takes nothing so large"
    }
  }

  private func words(_ subject: RefusalSubject) -> String {
    switch subject {
    case .marks: "flags and keywords"
    case .uploads: "new messages"
    case .moves(let target): "moves to “\(known.name(target).visible)”"
    default: "deletions"
    }
  }

  /// Whether the server, asked for the rights, tells that a change which it refused cannot succeed.
  private func lacksRight(to subject: RefusalSubject, in mailbox: MailboxKey) throws -> Bool {
    let rights = try rights(in: mailbox, isDoubtful: true)
    switch subject {
    case .marks: return rights.map { !$0.mayChangeFlags } ?? false
    case .uploads: return rights.map { !$0.mayInsert } ?? false
    case .moves(let target) where rights?.mayTakeAway ?? true:
      return try self.rights(in: target, isDoubtful: true).map { !$0.mayInsert } ?? false
    default: return rights.map { !$0.mayTakeAway } ?? false
    }
  }
}

extension MailboxRights {
  /// Flags that are not to be changed with these rights.
  var unkeepable: MessageFlags {
    var flags: MessageFlags = []
    for (_, flag) in MarkDelta.flagNames {
      let isAllowed =
        flag == .seen ? mayChangeSeen : flag == .deleted ? mayMarkDeleted : mayChangeFlags
      if !isAllowed { flags.insert(flag) }
    }
    return flags
  }

  /// `\Deleted` and UID EXPUNGE, which MOVE needs, too.
  var mayTakeAway: Bool { mayMarkDeleted && mayExpunge }

  /// ` (your rights there: “lr”)`.
  var quoted: String { " (your rights there: “\(String(letters.prefix(40)).visible)”)" }
}
