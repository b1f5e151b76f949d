import Foundation
import IMAPClient
import IMAPWire
import MailCore
import Maildir
import Settings
import State

/// Carries a plan out, step by step: what a crash could repeat or lose is recorded before it begins, and what the
/// server confirmed is committed before anything follows from it. Confined to the connection's thread.
final class PushExecutor {
  let context: AccountContext
  let remote: PushRemote
  let settings: SyncSettings
  var listings: [MailboxListing]
  /// Waits before a refused change is tried again.
  let delays: [Double]
  private(set) var records: [Int64: MailboxRecord] = [:]
  /// Left alone for the rest of the run, the reason told.
  private var skipped: Set<Int64> = []
  /// Steps of this run: what they are about was just seen.
  var begunHere: Set<UInt32> = []
  /// Targets that were found to be what the state knows.
  var soundTargets: Set<Int64> = []
  /// What was given up is tried again.
  var triesAgain = false
  /// What each opened mailbox cannot keep, folded.
  private(set) var unkeepable: [Int64: Set<String>] = [:]
  var trash: Int64?
  /// Gmail: which messages go for good.
  var labelPlan = LabelPlan(PushPlan(), [MailboxRecord]())
  private var knownLabels: (count: Int, labels: GmailLabels)?
  var actions: [PushAction] = []
  var bytesSent: Int64 = 0

  init(
    context: AccountContext, remote: PushRemote, settings: SyncSettings,
    listings: [MailboxListing], delays: [Double]
  ) throws {
    self.context = context
    self.remote = remote
    self.settings = settings
    self.listings = listings
    self.delays = delays
    try readRecords()
  }

  func readRecords() throws {
    records = [:]
    for record in try context.state.mailboxes() {
      if let id = record.id { records[id] = record }
    }
  }

  var state: StateStore { context.state }
  var policy: MaildirPolicy { context.policy }

  func name(_ mailbox: Int64) -> String { records[mailbox]?.name ?? "?" }

  func count(_ action: PushAction) { actions.append(action) }

  func save(_ record: inout MailboxRecord) throws {
    try state.save(&record)
    context.noteChange()
    if let id = record.id { records[id] = record }
  }

  func remember(_ record: MailboxRecord) {
    if let id = record.id { records[id] = record }
  }

  // MARK: The plan

  /// Everything but folders, which come first and change what the rest is about.
  func carryOut(_ plan: PushPlan) throws {
    try Self.noteLocally(plan, context)
    if remote.isGmail { labelPlan = LabelPlan(plan, records.values) }
    let places = Set(plan.marks.map(\.mailbox)).union(plan.moves.map(\.from))
    for mailbox in places.sorted(by: order) {
      try context.checkInterrupt()
      try sparing(mailbox) {
        try push(marks: plan.marks.filter { $0.mailbox == mailbox }, in: mailbox)
        try push(moves: plan.moves.filter { $0.from == mailbox }, from: mailbox)
      }
    }
    for mailbox in Set(plan.uploads.map(\.mailbox)).sorted(by: order) {
      try sparing(mailbox) {
        let uploads = plan.uploads.filter { $0.mailbox == mailbox }
        try push(uploads: copyKnown(uploads, to: mailbox), to: mailbox)
        if remote.isGmail { try completeOnGmail(uploads, in: mailbox) }
      }
    }
    try noteTwins(plan.twins)
    try finishCopies()
    for mailbox in Set(plan.deletions.map(\.mailbox)).sorted(by: order) {
      try context.checkInterrupt()
      try sparing(mailbox) {
        try push(
          deletions: plan.deletions.filter { $0.mailbox == mailbox }, in: mailbox,
          namesakes: plan.namesakes)
      }
    }
    try finishCopies()
  }

  /// INBOX first, the others by name.
  private func order(_ a: Int64, _ b: Int64) -> Bool {
    guard let one = records[a], let other = records[b] else { return a < b }
    return one.mailboxName.order < other.mailboxName.order
  }

  /// What fails in one mailbox is told, and the others go on.
  func sparing(_ mailbox: Int64, _ work: () throws -> Void) throws {
    guard !skipped.contains(mailbox) else { return }
    try context.sparing(name(mailbox), work)
    if !remote.session.isUsable { throw IMAPError.sessionOver }
  }

  // MARK: Opening

  func skip(_ mailbox: Int64, _ problem: RunProblem) {
    if skipped.insert(mailbox).inserted { context.note(problem) }
  }

  func isSkipped(_ mailbox: Int64) -> Bool { skipped.contains(mailbox) }

  /// Opens a mailbox for changes, if it is the one that the state knows.
  ///
  /// - Parameter asPlace: only to look for messages in it: it need not have been pulled.
  func open(_ mailbox: Int64, asPlace: Bool = false) throws -> Bool {
    guard !skipped.contains(mailbox), let record = records[mailbox] else { return false }
    if remote.selected != mailbox {
      guard isListed(record) else {
        skip(mailbox, .vanished(record.name))
        return false
      }
      let facts = try remote.select(mailbox, record.rawName)
      if let objection = record.objection(to: facts) {
        remote.forgetSelection()
        skip(mailbox, objection)
        return false
      }
      guard !facts.isReadOnly else {
        remote.forgetSelection()
        try refuse(mailbox, "mailbox", "it was opened read-only")
        skip(mailbox, .readOnly(record.name))
        return false
      }
      unkeepable[mailbox] = names(unkeepableBy: facts)
      try forgetRefusals(of: mailbox, contradictedBy: facts)
    }
    return try asPlace || learn(mailbox)
  }

  /// A mailbox that a push made, and no pull saw yet: from now on it is known by its numbers, so that one of the same
  /// name that somebody else makes is not taken for it.
  private func learn(_ mailbox: Int64) throws -> Bool {
    guard var record = records[mailbox], record.uidValidity == 0 else { return true }
    guard (remote.facts.exists ?? 0) == 0, let validity = remote.facts.uidValidity else {
      remote.forgetSelection()
      skip(mailbox, .unpulled(record.name))
      return false
    }
    record.uidValidity = validity.rawValue
    record.uidNext = remote.facts.uidNext?.rawValue ?? 0
    record.mailboxID = remote.facts.mailboxID
    try save(&record)
    return true
  }

  /// What was refused once, and now is not.
  private func forgetRefusals(of mailbox: Int64, contradictedBy facts: SelectedMailbox) throws {
    let stale = try state.pushRefusals().filter { refusal in
      guard refusal.mailbox == mailbox else { return false }
      if refusal.subject == "mailbox" { return true }
      guard refusal.subject.hasPrefix("keyword ") else { return false }
      let name = String(refusal.subject.dropFirst(8))
      return unkeepable[mailbox]?.contains(name) != true
        && (name.hasPrefix("\\") || keepsKeyword(name, facts))
    }
    guard !stale.isEmpty else { return }
    try state.transaction { transaction in
      for refusal in stale {
        try transaction.removeRefusal(mailbox: mailbox, subject: refusal.subject)
      }
    }
    context.noteChange()
  }

  func listing(of record: MailboxRecord) -> MailboxListing? {
    listings.last { $0.name == record.mailboxName && $0.isSelectable }
  }

  func isListed(_ record: MailboxRecord) -> Bool { listing(of: record) != nil }

  private func names(unkeepableBy facts: SelectedMailbox) -> Set<String> {
    var names: Set<String> = remote.isGmail ? ["\\deleted"] : []
    guard let permanent = facts.permanentFlags else { return names }
    let kept = Set(permanent.map(Keywords.fold))
    for (name, _) in MarkDelta.flagNames where name.hasPrefix("\\") && !kept.contains(name) {
      names.insert(name)
    }
    if !keepsKeyword("$forwarded", facts) { names.insert("$forwarded") }
    return names
  }

  /// Whether the open mailbox can carry a keyword.
  func keepsKeyword(_ keyword: String, _ facts: SelectedMailbox) -> Bool {
    if remote.isGmail, keyword != "$forwarded" {
      return facts.lists(keyword) || gmailLabels.canHold(keyword)
    }
    guard IMAPCommand.isKeyword(keyword), !remote.session.quirks.contains(.noKeywords) else {
      return false
    }
    guard let permanent = facts.permanentFlags else { return true }
    let folded = Keywords.fold(keyword)
    return facts.acceptsNewKeywords || permanent.contains { Keywords.fold($0) == folded }
  }

  /// Gmail's mailboxes and labels.
  var gmailLabels: GmailLabels {
    let count = listings.count + records.count
    if let knownLabels, knownLabels.count == count { return knownLabels.labels }
    let labels = GmailLabels(
      listings: listings, records: records.values, folders: settings.folders)
    knownLabels = (count, labels)
    return labels
  }

  // MARK: Refusals

  /// Counts one more refusal.
  func refuse(_ mailbox: Int64, _ subject: String, _ reason: String) throws {
    let known = try state.pushRefusals().first { $0.mailbox == mailbox && $0.subject == subject }
    let refusal = PushRefusal(
      mailbox: mailbox, subject: subject, attempts: (known?.attempts ?? 0) + 1,
      lastAttempt: context.started, reason: reason)
    try state.transaction { try $0.put(refusal) }
    context.noteChange()
  }

  /// Three times refused, and not asked for again (DESIGN section 6).
  func isGivenUp(_ mailbox: Int64, _ subject: String) throws -> Bool {
    guard !triesAgain else { return false }
    return try state.pushRefusals().contains {
      $0.mailbox == mailbox && $0.subject == subject && $0.attempts >= PushRefusal.most
    }
  }

  /// A server that asks for fewer requests gets none for a while; nothing that waits is given up.
  func stopIfThrottled(_ result: TaggedResult) throws {
    if !result.isOK, let throttle = result.throttle {
      throw IMAPError.throttled(seconds: throttle.seconds, result.text)
    }
  }

  // MARK: The tree

  /// What a push only writes down: a file's new name, and files that are never sent.
  static func noteLocally(_ plan: PushPlan, _ context: AccountContext) throws {
    guard !plan.renamedFiles.isEmpty || !plan.surplus.isEmpty else { return }
    try context.state.transaction { transaction in
      for renamed in plan.renamedFiles {
        var record = renamed.record
        record.take(renamed.file)
        try transaction.put(record, in: renamed.from)
        try transaction.removeSurplus(nameHash: renamed.file.file.baseHash, from: renamed.from)
      }
      for file in plan.surplus {
        try transaction.addSurplus(
          SurplusFile(nameHash: file.file.baseHash, contentHash: file.digest.contentHash),
          to: file.mailbox ?? 0)
      }
    }
    context.noteChange()
    for renamed in plan.renamedFiles {
      setDate(of: renamed.file, renamed.record.internalDate, context)
    }
  }

  /// Of new files that are each other's equals in one folder one was sent: the others are its surplus.
  private func noteTwins(_ twins: [UnknownFile]) throws {
    for twin in twins {
      guard let mailbox = twin.mailbox,
        try state.contents(in: mailbox, among: [twin.digest.contentHash]).isEmpty == false
      else { continue }
      try state.transaction {
        try $0.addSurplus(
          SurplusFile(nameHash: twin.file.baseHash, contentHash: twin.digest.contentHash),
          to: mailbox)
      }
      context.noteChange()
    }
  }

  func setDate(of file: UnknownFile, _ date: Int64) { Self.setDate(of: file, date, context) }

  /// A file's time is its message's INTERNALDATE; failing that, nothing is lost.
  private static func setDate(of file: UnknownFile, _ date: Int64, _ context: AccountContext) {
    guard file.modified != date else { return }
    try? context.openFolder(file.folder).setModified(date, of: file.file)
  }
}

extension MessageRecord {
  /// The message is now this file; marks are as they were agreed.
  mutating func take(_ file: UnknownFile) {
    name = file.file.base
    size = file.size
    if file.marks.keywords.isEmpty {
      traits.remove(.hasKeywordsLine)
    } else {
      traits.insert(.hasKeywordsLine)
    }
  }
}

extension MailboxRecord {
  /// Why what the server shows is not the mailbox that the state knows.
  func objection(to facts: SelectedMailbox) -> RunProblem? {
    guard let validity = facts.uidValidity, validity.rawValue != 0 else {
      return RunProblem(SyncError.noUIDValidity(mailboxName), mailbox: name)
    }
    if uidValidity != 0, validity.rawValue != uidValidity {
      return RunProblem(
        mailbox: name,
        problem:
          "The server renumbered this mailbox (UIDVALIDITY changed): nothing was sent to it.",
        remedy: "Run `mirror pull`: the messages are matched anew.")
    }
    if let mailboxID, let now = facts.mailboxID, now != mailboxID, uidValidity != 0 {
      return RunProblem(
        mailbox: name,
        problem: "The server has another mailbox under this name: nothing was sent to it.",
        remedy: "Run `mirror pull`: the messages are matched anew.")
    }
    if wentBackwards(uidNext: facts.uidNext?.rawValue ?? 0, facts.highestModSeq ?? .none) {
      return RunProblem(
        mailbox: name,
        problem:
          "The server's counters went backwards: it looks as if this mailbox was restored from an old "
          + "backup. Nothing was sent to it, and nothing deleted.",
        remedy:
          "Run `mirror pull`: the messages are matched anew, and what the server lost stays here.")
    }
    return nil
  }

  /// UIDNEXT and HIGHESTMODSEQ never do, unless an old state of the server came back.
  func wentBackwards(uidNext now: UInt32, _ modSeq: ModSequence) -> Bool {
    if now != 0, uidNext != 0, now < uidNext { return true }
    return modSeq != .none && highestModSeq > 0 && modSeq.rawValue < UInt64(highestModSeq)
  }
}

extension RunProblem {
  static func vanished(_ mailbox: String) -> RunProblem {
    RunProblem(
      mailbox: mailbox,
      problem: "The server no longer has this mailbox: what was to be sent to it waits.",
      remedy: "Run `mirror pull` to see what became of it.")
  }

  static func unpulled(_ mailbox: String) -> RunProblem {
    RunProblem(
      mailbox: mailbox,
      problem:
        "The server has messages in this mailbox that were never pulled: what is here waits.",
      remedy: "Run `mirror pull`, then push again.")
  }

  static func readOnly(_ mailbox: String) -> RunProblem {
    RunProblem(
      mailbox: mailbox,
      problem: "The server opens this mailbox read-only: your changes stay here, and are kept.",
      remedy: "Ask its owner for the right to change it; `mirror push --full` tries again.")
  }
}
