import IMAPWire
import MailCore
import Remote
import SyncPlan

/// Opens mailboxes, if they are those that the state knows, and keeps which of them are left alone for the rest of the
/// run.
final class PushMailboxes {
  private let context: AccountContext
  private let remote: PushRemote
  private let known: KnownMailboxes
  private let refusals: RefusalBook
  private let rights: AccessRights
  /// For a pull: nothing is changed on the server, and mailboxes that are not those the state knows are left to it.
  let onlyLooks: Bool
  /// Left alone for the rest of the run, the reason told.
  private var skipped: Set<Int64> = []
  /// Not those that the state knows: their UIDs mean other messages.
  private(set) var strange: [Int64: RunProblem] = [:]
  /// Their counters went backwards.
  private(set) var restored: Set<Int64> = []
  /// Why a mailbox could not be looked into, the last time.
  private var trouble: RunProblem?
  /// A mailbox that is being opened: a refusal is about it.
  private var opening: Int64?
  /// Flags that each opened mailbox cannot keep.
  private var unkeepable: [Int64: MessageFlags] = [:]

  init(
    _ context: AccountContext, _ remote: PushRemote, _ known: KnownMailboxes,
    _ refusals: RefusalBook, _ rights: AccessRights, onlyLooks: Bool
  ) {
    self.context = context
    self.remote = remote
    self.known = known
    self.refusals = refusals
    self.rights = rights
    self.onlyLooks = onlyLooks
  }

  /// Opens a mailbox for changes, if it is the one that the state knows.
  ///
  /// - Parameter asPlace: only to look for messages in it: it need not have been pulled.
  func open(_ mailbox: Int64, asPlace: Bool = false) throws -> Bool {
    guard !isSkipped(mailbox), let record = known.records[mailbox] else { return false }
    if remote.selected != mailbox {
      guard known.isListed(record) else {
        // The server does not list it under the name that the state knows.
        let problem = RunProblem.vanished(record.name)
        skip(mailbox, problem)
        trouble = problem
        return false
      }
      opening = mailbox
      let facts = try remote.select(mailbox, record.rawName, readOnly: onlyLooks)
      opening = nil
      if let objection = record.objection(to: facts) {
        remote.forgetSelection()
        strange[mailbox] = objection
        skip(mailbox, objection, facts)
        return false
      }
      if onlyLooks { return true }
      let rights = try rights.rights(in: mailbox, isDoubtful: facts.isReadOnly)
      guard !facts.isReadOnly else {
        remote.forgetSelection()
        // The server has said it twice where it has told the rights, too.
        try refusals.refuse(mailbox, .mailbox, "it was opened read-only", isFinal: rights != nil)
        skip(mailbox, .readOnly(record.name, rights))
        return false
      }
      unkeepable[mailbox] = flags(unkeepableBy: facts, rights)
      try forgetRefusals(of: mailbox, contradictedBy: facts)
    }
    return try asPlace || learn(mailbox)
  }

  /// Looks into a mailbox, and changes nothing: what one refuses that nothing is to be done to keeps no other one's mail
  /// back. Nil where it cannot be looked into, or is not the one that the state knows.
  func examine<Found>(_ mailbox: Int64, _ look: () throws -> Found) throws -> Found? {
    guard let record = known.records[mailbox], !isSkipped(mailbox) else { return nil }
    defer { remote.forgetSelection() }
    do {
      let facts = try remote.select(mailbox, record.rawName, readOnly: true)
      return record.objection(to: facts) == nil ? try look() : nil
    } catch {
      guard case .mailbox = RunFailure(error), remote.session.isUsable else { throw error }
      return nil
    }
  }

  /// A mailbox that a push made, and no pull saw yet: from now on it is known by its numbers, so that one of the same
  /// name that somebody else makes is not taken for it.
  private func learn(_ mailbox: Int64) throws -> Bool {
    guard var record = known.records[mailbox], record.uidValidity == 0 else { return true }
    guard (remote.facts.exists ?? 0) == 0, let validity = remote.facts.uidValidity else {
      remote.forgetSelection()
      skip(mailbox, .unpulled(record.name))
      return false
    }
    record.uidValidity = validity.rawValue
    record.uidNext = remote.facts.uidNext?.rawValue ?? 0
    record.mailboxID = remote.facts.mailboxID
    try known.save(&record)
    return true
  }

  // MARK: What goes wrong

  /// What fails in one mailbox is told, and the others go on.
  func sparing(_ mailbox: Int64, _ work: () throws -> Void) throws {
    guard !isSkipped(mailbox) else { return }
    do { try work() } catch {
      guard case .mailbox = RunFailure(error) else { throw error }
      let problem = RunProblem(error, mailbox: known.name(opening ?? mailbox))
      (opening, trouble) = (nil, problem)
      if !onlyLooks { context.note(problem) }
    }
    if !remote.session.isUsable { throw IMAPError.sessionOver }
  }

  func skip(_ mailbox: Int64, _ problem: RunProblem) {
    if skipped.insert(mailbox).inserted, !onlyLooks { context.note(problem) }
  }

  /// Leaves a mailbox alone that is not as the state knows it.
  func skip(_ mailbox: Int64, _ objection: RunProblem, _ facts: SelectedMailbox) {
    if known.records[mailbox]?.isRestored(facts) == true { restored.insert(mailbox) }
    skip(mailbox, objection)
  }

  func isSkipped(_ mailbox: Int64) -> Bool { skipped.contains(mailbox) }

  /// Why the work on a mailbox could not look into it, if it could not.
  func troubled(_ mailbox: Int64, _ work: () throws -> Void) throws -> RunProblem? {
    trouble = nil
    try sparing(mailbox, work)
    return trouble ?? strange[mailbox]
  }

  // MARK: Flags and keywords

  /// What was refused once, and now is not.
  private func forgetRefusals(of mailbox: Int64, contradictedBy facts: SelectedMailbox) throws {
    let stale = try context.state.pushRefusals().filter { refusal in
      guard refusal.mailbox == mailbox else { return false }
      if refusal.subject == .mailbox { return true }
      guard let marks = UnkeepableMarks(refusal: refusal.subject) else { return false }
      return marks.flags.isDisjoint(with: unkeepableFlags(mailbox))
        && marks.keywords.allSatisfy { keepsKeyword($0, facts) }
    }
    guard !stale.isEmpty else { return }
    try context.write { transaction in
      for refusal in stale {
        try transaction.removeRefusal(mailbox: mailbox, subject: refusal.subject)
      }
    }
  }

  /// Flags that a mailbox which was opened cannot keep.
  func unkeepableFlags(_ mailbox: Int64) -> MessageFlags { unkeepable[mailbox] ?? [] }

  private func flags(unkeepableBy facts: SelectedMailbox, _ rights: MailboxRights?) -> MessageFlags
  {
    var flags: MessageFlags = known.labels != nil ? .deleted : []
    if let rights { flags.formUnion(rights.unkeepable) }
    guard let permanent = facts.permanentFlags else { return flags }
    let kept = Set(permanent.map(Keywords.fold))
    for (name, flag) in MarkDelta.flagNames where name.hasPrefix("\\") && !kept.contains(name) {
      flags.insert(flag)
    }
    if !keepsKeyword("$forwarded", facts) { flags.insert(.forwarded) }
    return flags
  }

  /// Whether the open mailbox can carry a keyword.
  func keepsKeyword(_ keyword: String, _ facts: SelectedMailbox) -> Bool {
    if keyword != "$forwarded", let labels = known.labels {
      return facts.lists(keyword) || labels.canHold(keyword)
    }
    guard IMAPCommand.isKeyword(keyword), !remote.session.quirks.contains(.noKeywords) else {
      return false
    }
    if let mailbox = remote.selected, let rights = rights.toldRights(in: mailbox),
      !rights.mayChangeFlags
    {
      return false
    }
    guard let permanent = facts.permanentFlags else { return true }
    let folded = Keywords.fold(keyword)
    return facts.acceptsNewKeywords || permanent.contains { Keywords.fold($0) == folded }
  }
}
