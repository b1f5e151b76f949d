import IMAPClient
import IMAPWire
import Ledger
import MailCore
import Remote
import SyncPlan

/// What the server lets this account do in mailboxes of others. It is asked before the first change, and where a change
/// was refused: what it denies is said, kept, and not asked for again until `--full`.
extension PushExecutor {
  /// Nil where all may be tried: in the account's own mailboxes, and where the server does not tell.
  ///
  /// - Parameter isDoubtful: the server has refused something there.
  func rights(in mailbox: Int64, isDoubtful: Bool = false) throws -> MailboxRights? {
    if let known = knownRights[mailbox] { return known }
    guard let record = records[mailbox], isDoubtful || remote.isForeign(record.rawName) else {
      return nil
    }
    let rights = try remote.rights(in: record.rawName)
    knownRights[mailbox] = .some(rights)
    return rights
  }

  /// Whether new messages may be put into a mailbox; says so where not.
  func mayReceive(_ count: Int, _ mailbox: Int64) throws -> Bool {
    guard let rights = try rights(in: mailbox), !rights.mayInsert else { return true }
    try deny(count, .uploads, "new messages", rights, mailbox)
    return false
  }

  /// Whether messages may be moved from one mailbox to another; says so where not.
  func mayMove(_ count: Int, from mailbox: Int64, to target: Int64) throws -> Bool {
    let what = "moves to “\(name(target).visible)”"
    if let rights = try rights(in: mailbox), !rights.mayTakeAway {
      try deny(count, .moves(to: target), what, rights, mailbox)
      return false
    }
    if let rights = try rights(in: target), !rights.mayInsert {
      try deny(count, .moves(to: target), what, rights, mailbox)
      return false
    }
    return true
  }

  /// Whether messages may be deleted; says so where not.
  func mayDelete(_ count: Int, in mailbox: Int64) throws -> Bool {
    guard let rights = try rights(in: mailbox), !rights.mayTakeAway else { return true }
    try deny(count, .deletions, "deletions", rights, mailbox)
    return false
  }

  private func deny(
    _ count: Int, _ subject: RefusalSubject, _ what: String, _ rights: MailboxRights, _ mailbox: Int64
  ) throws {
    try refuse(mailbox, subject, "rights: \(rights.letters)", isFinal: true)
    self.count(
      PushAction(.waiting, mailbox: name(mailbox), detail: "no right to it", count: count))
    context.note(
      RunProblem(
        mailbox: name(mailbox),
        problem: "You have no right to these changes here (\(what))\(rights.quoted): they stay on "
          + "this side.",
        remedy: "Ask the mailbox's owner for it; `mirror push --full` tries again."))
  }

  /// Whether the server, asked for the rights, tells that a change which it refused cannot succeed.
  ///
  /// - Parameter subject: of the refusal.
  func lacksRight(to subject: RefusalSubject, in mailbox: Int64) throws -> Bool {
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
