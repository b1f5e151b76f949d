import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import State
import SyncPlan

/// The mailbox that is being pulled: its record, its folder, what came of it so far. The steps of a pull share it, and it
/// knows none of them. Confined to the thread of the visit.
final class PulledMailbox {
  let context: AccountContext
  let id: MailboxKey
  var record: MailboxRecord
  private(set) var outcome: MailboxOutcome
  private(set) var progress: MailboxProgress
  /// Messages that a person asked for though the window, which begins at this moment, leaves them out.
  var older = UIDSet()
  var keepsBefore = Int64.min
  private var opened: LocalFolder?
  /// Of its name, for the names of its files.
  private let nameHash: BirthName.MailboxHash

  init(_ record: MailboxRecord, in context: AccountContext) throws {
    self.context = context
    id = record.id
    self.record = record
    nameHash = BirthName.hash(of: record.mailboxName)
    outcome = MailboxOutcome(mailbox: record.name)
    outcome.isFirst = context.isFirstPull && !record.hasWholeHistory
    stubLimit = try context.stubLimit(in: id)
    progress = MailboxProgress(mailbox: record.name, messages: 0, messagesExpected: 0, bytes: 0)
  }

  var state: StateStore { context.state }
  var policy: MaildirPolicy { context.policy }
  var name: MailboxName { record.mailboxName }

  /// Larger parts of messages stay on the server; nil where all come. What a person works on comes whole.
  let stubLimit: Int64?

  // MARK: Folder

  /// The folder, opened when it is first needed: with many mailboxes, only those that are being visited hold open
  /// directories.
  var local: LocalFolder {
    get throws {
      if let opened { return opened }
      let folder = context.folders.local(try context.makeFolder(of: record))
      opened = folder
      return folder
    }
  }

  func closeFolder() { opened = nil }

  /// A folder that was once looked through and held no such file, and has not changed since, needs no look. Whatever
  /// changes it, a download of ours too, ends that: a reader may have put a file there at the same time.
  func mayHoldUnknownFiles() throws -> Bool {
    if record.isDirty || record.needsAdoption { return true }
    // A push was interrupted: what it had sent has a file, and no record yet.
    if try state.hasPushSteps(to: id) { return true }
    return try !local.folder.stamp().isOf(record)
  }

  /// Hashes of names that were given under numbers which mean other messages by now, with the same UIDVALIDITY.
  private var earlierNames: Set<NameHash> = []

  func keepNames() throws {
    try state.forEachName(in: id) { _, name in earlierNames.insert(NameHash(of: name)) }
  }

  /// Of files that an earlier run, which may have been interrupted, left here under such numbers.
  func keepEarlierNames() throws {
    for file in try state.surplus(in: id) { earlierNames.insert(file.nameHash) }
    if try !state.orphans(in: id).isEmpty { try keepNames() }
  }

  /// The name that a message's file is born with. A name tells of one file, with whatever flags and in whatever folder: that
  /// of an earlier message is not given again.
  func birthName(of message: FetchedMessage, _ date: Int64) -> BirthName {
    var birth = BirthName(
      internalDate: date, mailboxHash: nameHash, uidValidity: UIDValidity(record.uidValidity),
      uid: message.uid, account: context.account)
    while !earlierNames.isEmpty, earlierNames.contains(NameHash(of: birth.base)) {
      birth.ordinal += 1
    }
    return birth
  }

  // MARK: State

  func commit(_ changes: (StateTransaction) throws -> Void) throws(StateError) {
    try context.write(changes)
  }

  func save(_ messages: [MessageRecord]) throws(StateError) {
    try commit { transaction in
      for message in messages { try transaction.put(message, in: id) }
    }
  }

  func saveRecord() throws(StateError) {
    try state.save(record)
    context.noteChange()
  }

  /// - Parameter shown: the MAILBOXID that the server gives it, where it gives one.
  func saveID(_ shown: String?) throws(StateError) {
    guard let shown, shown != record.mailboxID else { return }
    let isKnown = record.mailboxID != nil
    record.mailboxID = shown
    // Nothing else may have changed.
    if isKnown { try saveRecord() }
  }

  /// Durable before the first file of a batch gets its name: a crash between that and the commit leaves files that
  /// the next run must look for.
  func markDirty() throws(StateError) {
    guard !record.isDirty else { return }
    record.isDirty = true
    try saveRecord()
  }

  // MARK: Report

  func count(_ change: (inout MailboxOutcome) -> Void) { change(&outcome) }

  func expect(_ messages: Int) { progress.messagesExpected = messages }

  func progressed(messages: Int, bytes: Int64) {
    progress.messages += messages
    progress.bytes += bytes
    context.observer.progressed(progress, account: context.account)
  }

  func entered(_ stage: RunStage) { context.observer.entered(stage, account: context.account) }

  func report(_ problem: some Explained, uid: UID? = nil) {
    if (problem as? PullNotice)?.leavesPush == true { context.leavesPush = true }
    context.note(RunProblem(problem, mailbox: record.name, uid: uid?.rawValue))
  }
}
