import IMAPWire
import Ledger
import MailCore
import Remote
import SyncPlan

/// Opens mailboxes, if they are those that the state knows, and keeps which of them are left alone for the rest of the
/// run.
final class PushMailboxes {
  private let context: AccountContext
  private let remote: RemoteConnection
  private let known: KnownMailboxes
  private let refusals: RefusalBook
  private let rights: AccessRights
  /// For a pull: nothing is changed on the server, and mailboxes that are not those the state knows are left to it.
  let onlyLooks: Bool
  private let cut: CutMailboxes
  let numbers: ProvenNumbers
  private var isCut = false
  /// Left alone for the rest of the run, the reason told.
  private var skipped: Set<MailboxKey> = []
  /// Not those that the state knows: their UIDs mean other messages.
  private(set) var strange: [MailboxKey: RunProblem] = [:]
  /// Their counters went backwards.
  private(set) var restored: Set<MailboxKey> = []
  /// Why a mailbox could not be looked into, the last time.
  private var trouble: RunProblem?
  /// A mailbox that is being opened: a refusal is about it.
  private var opening: MailboxKey?
  /// Flags that each opened mailbox cannot keep.
  private var unkeepable: [MailboxKey: MessageFlags] = [:]
  /// Keywords that each opened mailbox took and did not keep, folded.
  private var dropped: [MailboxKey: Set<String>] = [:]
  /// UIDNEXT as each opened mailbox told it last.
  private(set) var uidNexts: [MailboxKey: UInt32] = [:]

  init(
    _ context: AccountContext, _ remote: RemoteConnection, _ known: KnownMailboxes,
    _ refusals: RefusalBook, _ rights: AccessRights,
    _ cut: CutMailboxes, onlyLooks: Bool
  ) {
    self.cut = cut
    self.context = context
    self.remote = remote
    self.known = known
    numbers = ProvenNumbers(context, known)
    self.refusals = refusals
    self.rights = rights
    self.onlyLooks = onlyLooks
    // This connection was made since: it is not the line.
    for (mailbox, error) in cut.leftOut { skip(mailbox, cutBy: error) }
  }

  /// Does some work in a mailbox, if it is the one that the state knows; where it is not, that is told.
  ///
  /// - Parameters:
  ///   - asPlace: only to look for messages in it: it need not have been pulled.
  ///   - isFresh: what came over other connections is to be seen.
  /// - Returns: nil where it cannot be opened.
  @discardableResult
  func with<Result>(
    _ mailbox: MailboxKey, asPlace: Bool = false, isFresh: Bool = false,
    _ work: (borrowing OpenMailbox) throws -> Result
  ) throws -> Result? {
    guard !isSkipped(mailbox), let record = known.records[mailbox] else { return nil }
    guard known.isListed(record) else {
      // The server does not list it under the name that the state knows.
      let problem = RunProblem.vanished(record.name)
      skip(mailbox, problem)
      trouble = problem
      return nil
    }
    opening = mailbox
    do {
      // A pull asks by itself.
      let question = try onlyLooks ? nil : numbers.question(about: mailbox)
      return try remote.withMailbox(
        MailboxTarget(record), onlyLooks ? .toLook : .forChanges, isFresh: isFresh,
        probing: question?.message.uid,
        if: { facts in
          opening = nil
          return try isMeant(mailbox, record, facts)
        },
        { open in
          opening = nil
          if let question, try numbers.meanOthers(question, size: open.probedSize, open) {
            let problem = RunProblem.reusedNumbers(record.name)
            strange[mailbox] = problem
            skip(mailbox, problem)
            return nil
          }
          guard try asPlace || onlyLooks || learn(mailbox, open.facts) else { return nil }
          return try work(open)
        }) ?? nil
    } catch {
      noteCut(mailbox, error)
      throw error
    }
  }

  /// Whether a mailbox is the one that the state knows.
  func opens(_ mailbox: MailboxKey, asPlace: Bool = false) throws -> Bool {
    try with(mailbox, asPlace: asPlace) { _ in true } ?? false
  }

  private func isMeant(_ mailbox: MailboxKey, _ record: MailboxRecord, _ facts: SelectedMailbox)
    throws
    -> Bool
  {
    if let objection = record.objection(to: facts) {
      strange[mailbox] = objection
      skip(mailbox, objection, facts)
      if !onlyLooks { try known.listAgain(mailbox) }
      return false
    }
    if onlyLooks { return true }
    let rights = try rights.rights(in: mailbox, isDoubtful: facts.isReadOnly)
    guard !facts.isReadOnly else {
      // The server has said it twice where it has told the rights, too.
      try refusals.refuse(mailbox, .mailbox, "it was opened read-only", isFinal: rights != nil)
      skip(mailbox, .readOnly(record.name, rights))
      return false
    }
    uidNexts[mailbox] = facts.uidNext?.rawValue
    dropped[mailbox] = try refusals.givenUpKeywords(mailbox)
    unkeepable[mailbox] = flags(unkeepableIn: mailbox, facts, rights)
    try forgetRefusals(of: mailbox, contradictedBy: facts)
    return true
  }

  /// Looks into a mailbox, and changes nothing: what one refuses that nothing is to be done to keeps no other one's mail
  /// back. Nil where it cannot be looked into, or is not the one that is meant.
  func examine<Found>(
    _ target: MailboxTarget, if isMeant: (SelectedMailbox) -> Bool = { _ in true },
    _ look: (borrowing OpenMailbox) throws -> Found
  ) throws -> Found? {
    do {
      return try remote.withMailbox(target, .toLook, isFresh: true, if: isMeant, look)
    } catch {
      guard case .mailbox = RunFailure(error), remote.session.isUsable else { throw error }
      return nil
    }
  }

  /// A mailbox that a push made, and no pull saw yet: from now on it is known by its numbers, so that one of the same
  /// name that somebody else makes is not taken for it.
  private func learn(_ mailbox: MailboxKey, _ facts: SelectedMailbox) throws -> Bool {
    guard var record = known.records[mailbox], record.uidValidity == 0 else { return true }
    guard (facts.exists ?? 0) == 0, let validity = facts.uidValidity else {
      skip(mailbox, .unpulled(record.name))
      return false
    }
    record.uidValidity = validity.rawValue
    record.uidNext = facts.uidNext?.rawValue ?? 0
    record.mailboxID = facts.mailboxID
    try known.save(record)
    return true
  }

  // MARK: What goes wrong

  /// What fails in one mailbox is told, and the others go on.
  func sparing(_ mailbox: MailboxKey, _ work: () throws -> Void) throws {
    guard !isSkipped(mailbox) else { return }
    do { try work() } catch {
      noteCut(mailbox, error)
      guard case .mailbox = RunFailure(error) else { throw error }
      let problem = RunProblem(error, mailbox: known.name(opening ?? mailbox))
      (opening, trouble) = (nil, problem)
      if !onlyLooks { context.note(problem) }
    }
    if !remote.session.isUsable { throw IMAPError.sessionOver }
  }

  /// One mailbox after the other, INBOX first.
  func sparing(each mailboxes: some Sequence<MailboxKey>, _ work: (MailboxKey) throws -> Void)
    throws
  {
    for mailbox in Set(mailboxes).sorted(by: known.order) {
      try context.checkInterrupt()
      try sparing(mailbox) { try work(mailbox) }
    }
  }

  /// The first mailbox that hears of it is the innermost: it was at work when the connection was lost.
  private func noteCut(_ mailbox: MailboxKey, _ error: any Error) {
    guard !isCut, !remote.session.isUsable else { return }
    switch RunFailure(error) {
    // A server that asks for patience does not trip over anything.
    case .connection(.some), .run: return
    case .connection(nil), .mailbox: break
    }
    isCut = true
    cut.lost(over: mailbox, because: error)
  }

  private func skip(_ mailbox: MailboxKey, cutBy error: any Error) {
    skipped.insert(mailbox)
    guard let record = known.records[mailbox], cut.isNews(mailbox) else { return }
    let reason = RunProblem(error).problem
    context.note(
      RunProblem(
        SyncError.connectionEnds(record.mailboxName, reason: reason), mailbox: record.name))
  }

  func skip(_ mailbox: MailboxKey, _ problem: RunProblem) {
    if skipped.insert(mailbox).inserted, !onlyLooks { context.note(problem) }
  }

  /// Leaves a mailbox alone that is not as the state knows it.
  func skip(_ mailbox: MailboxKey, _ objection: RunProblem, _ facts: SelectedMailbox) {
    if known.records[mailbox]?.isRestored(facts) == true { restored.insert(mailbox) }
    skip(mailbox, objection)
  }

  func isSkipped(_ mailbox: MailboxKey) -> Bool { skipped.contains(mailbox) }

  /// Why the work on a mailbox could not look into it, if it could not.
  func troubled(_ mailbox: MailboxKey, _ work: () throws -> Void) throws -> RunProblem? {
    trouble = nil
    try sparing(mailbox, work)
    return trouble ?? strange[mailbox]
  }

  // MARK: Flags and keywords

  /// What was refused once, and now is not.
  private func forgetRefusals(of mailbox: MailboxKey, contradictedBy facts: SelectedMailbox) throws
  {
    let stale = try context.state.pushRefusals().filter { refusal in
      guard refusal.mailbox == mailbox else { return false }
      if refusal.subject == .mailbox { return true }
      guard let marks = UnkeepableMarks(refusal: refusal.subject) else { return false }
      return marks.flags.isDisjoint(with: unkeepable[mailbox] ?? [])
        && marks.keywords.allSatisfy { keepsKeyword($0, mailbox, facts) }
    }
    guard !stale.isEmpty else { return }
    try context.write { transaction in
      for refusal in stale {
        try transaction.removeRefusal(mailbox: mailbox, subject: refusal.subject)
      }
    }
  }

  /// The mailbox does not keep these, whatever PERMANENTFLAGS says of them.
  func drop(_ marks: UnkeepableMarks, _ mailbox: MailboxKey) throws {
    for (subject, _) in marks.refusals {
      try refusals.refuse(mailbox, subject, "not shown by the server", isFinal: true)
    }
    dropped[mailbox, default: []].formUnion(marks.keywords)
  }

  /// What a mailbox that was opened cannot keep: flags, and which of these keywords.
  func unkeepable(_ keywords: Keywords, _ mailbox: MailboxKey, _ facts: SelectedMailbox)
    -> UnkeepableMarks
  {
    UnkeepableMarks(
      flags: unkeepable[mailbox] ?? [],
      keywords: Set(keywords.filter { !keepsKeyword($0, mailbox, facts) }.map(Keywords.fold)))
  }

  private func flags(
    unkeepableIn mailbox: MailboxKey, _ facts: SelectedMailbox, _ rights: MailboxRights?
  ) -> MessageFlags {
    var flags: MessageFlags = known.labels != nil ? .deleted : []
    if let rights { flags.formUnion(rights.unkeepable) }
    guard let permanent = facts.permanentFlags else { return flags }
    let kept = Set(permanent.map(Keywords.fold))
    for (name, flag) in MarkDelta.flagNames where name.hasPrefix("\\") && !kept.contains(name) {
      flags.insert(flag)
    }
    if !keepsKeyword("$forwarded", mailbox, facts) { flags.insert(.forwarded) }
    return flags
  }

  /// Whether a mailbox can carry a keyword.
  private func keepsKeyword(_ keyword: String, _ mailbox: MailboxKey, _ facts: SelectedMailbox)
    -> Bool
  {
    if keyword != "$forwarded", let labels = known.labels {
      return facts.lists(keyword) || labels.canHold(keyword)
    }
    let folded = Keywords.fold(keyword)
    guard IMAPCommand.isKeyword(keyword), dropped[mailbox]?.contains(folded) != true else {
      return false
    }
    if let rights = rights.toldRights(in: mailbox), !rights.mayChangeFlags { return false }
    guard let permanent = facts.permanentFlags else { return true }
    return facts.acceptsNewKeywords || permanent.contains { Keywords.fold($0) == folded }
  }
}
