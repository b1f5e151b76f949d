import Ledger
import SyncPlan

/// Carries a plan out. Confined to the connection's thread.
///
/// In this order, since each depends on what stands before it:
///
/// 1. **Rename under way** (`FolderStep`): what an interrupted push asked the server for. All else goes by names.
/// 2. **Recovery**: steps that an interrupted push left in the journal are looked for on the server, and closed or
///    forgotten. Nothing that may have been done is done again, so it comes before any new step; afterwards the tree is
///    looked at anew.
/// 3. **Folders** (`FolderStep`): renamed, then made. The mailboxes of the rest of the plan are those that come of it,
///    so the tree is looked at anew where anything changed.
/// 4. **Records** (`PlanRecords`): what is only written down.
/// 5. **Marks** (`MarkFlight`, `MarkStep`): those that may travel unseen first, while the list of mailboxes is fresh; the
///    others mailbox by mailbox, before the messages leave it.
/// 6. **Moves** (`TransferStep`), of one mailbox after its marks: where they left from is where the state has their UIDs.
/// 7. **New messages**, mailbox by mailbox, after the moves: what was moved is not sent. First copies in Sent that the queue
///    or the provider may have filed (`SavedCopyStep`); then files that the server has already wait (`UnseenMessages`);
///    files get their folder's keyword letters, and drafts the marks of those that they replace; what the server has in
///    another mailbox it copies by itself (`LocalCopyStep`); the rest is sent (`UploadStep`).
/// 8. **Sources** (`CopiedSources`): what was copied on, or replaced, and is confirmed, is expunged.
/// 9. **Deletions** (`DeleteStep`) last, when every message that stays is where it belongs, and none where the server
///    seems to be restored from a backup (`RestoredServer`). What they copied to Trash leaves its source after them.
///
/// A step writes a row into the journal (`PushJournal`) before it asks for what could be repeated or lost, and commits what
/// the server confirmed before anything follows from it. Steps know the services of the desk (`PushDesk`), and those steps
/// that are below them; how the server moves and keeps messages they have from the `Dialect`.
final class PushExecutor: PushPart {
  let desk: PushDesk
  let recovery: Recovery
  private let dialect: Dialect
  private let folders: FolderStep
  private let flight: MarkFlight
  private let marks: MarkStep
  private let transfers: TransferStep
  private let savedCopies: SavedCopyStep
  private let localCopies: LocalCopyStep
  private let uploads: UploadStep
  private let copied: CopiedSources
  private let restored: RestoredServer
  private let deletions: DeleteStep

  /// - Parameter isListFresh: nothing was done since the mailboxes were listed.
  init(desk: PushDesk, advice: SentCopyAdvice, isListFresh: Bool = false) {
    self.desk = desk
    let trash = TrashMailbox(desk: desk)
    let dialect = Dialect(desk: desk, trash: trash)
    self.dialect = dialect
    folders = FolderStep(desk: desk)
    flight = MarkFlight(desk: desk, isListFresh: isListFresh)
    let marks = MarkStep(desk: desk, flight: flight)
    self.marks = marks
    let transfers = TransferStep(desk: desk, dialect: dialect)
    self.transfers = transfers
    let search = UploadSearch(desk: desk, labels: dialect.labels?.arrivals)
    savedCopies = SavedCopyStep(desk: desk, advice: advice)
    localCopies = LocalCopyStep(desk: desk, labels: dialect.labels, marks: marks, search: search)
    uploads = UploadStep(desk: desk, dialect: dialect, marks: marks, search: search)
    copied = CopiedSources(desk: desk, removal: dialect.removal)
    restored = RestoredServer(desk: desk)
    let labelled = dialect.labels.map {
      LabelDeleteStep(desk: desk, labels: $0, transfers: transfers, trash: trash)
    }
    deletions = DeleteStep(desk: desk, transfers: transfers, trash: trash, labelled: labelled)
    recovery = Recovery(desk: desk, dialect: dialect, search: search, copied: copied)
  }

  /// A flight is under way: where the connection ends now, that may be why.
  var isFlying: Bool { flight.isUnderWay }

  /// - Returns: whether there was anything: then the tree is to be looked at again.
  func finishRename() throws -> Bool { try folders.finishRename() }

  /// - Returns: whether anything changed: then the tree is to be looked at again.
  func carryOutFolders(_ plan: PushPlan) throws -> Bool {
    guard !plan.renames.isEmpty || !plan.creations.isEmpty else { return false }
    flight.isListFresh = false
    return try folders.carryOut(plan)
  }

  /// Everything but folders.
  func carryOut(_ work: SavedCopies) throws {
    let plan = work.plan
    let records = PlanRecords(context: context)
    try records.write(plan)
    dialect.labels?.homes.begin(plan)
    let marks = try flight.push(plan.marks)
    flight.isListFresh = false
    try mailboxes.sparing(each: marks.map(\.mailbox) + plan.moves.map(\.from)) { mailbox in
      try self.marks.push(marks.filter { $0.mailbox == mailbox }, in: mailbox)
      try transfers.push(plan.moves.filter { $0.from == mailbox }, from: mailbox)
    }
    try records.writeSurplusAgain(plan)
    let targets = plan.uploads.map(\.mailbox) + work.copies.map(\.upload.mailbox)
    let unseen = UnseenMessages(desk: desk, planned: plan.uploads)
    try mailboxes.sparing(each: targets) { try send(work, to: $0, unseen) }
    try records.writeTwins(plan.twins)
    try copied.finish()
    try deletions.keepThoseThatCameBack(plan)
    let planned = try restored.spare(plan.deletions)
    try mailboxes.sparing(each: planned.map(\.mailbox)) { mailbox in
      try deletions.push(
        planned.filter { $0.mailbox == mailbox }, in: mailbox, of: plan.sizes[mailbox],
        namesakes: plan.namesakes)
    }
    try copied.finish()
  }

  private func send(_ work: SavedCopies, to mailbox: MailboxKey, _ unseen: UnseenMessages) throws {
    var wanted = work.plan.uploads.filter { $0.mailbox == mailbox }
    wanted += try savedCopies.match(
      work.copies.filter { $0.upload.mailbox == mailbox }, in: mailbox, others: work.queueIDs)
    guard try !wanted.isEmpty && rights.mayReceive(wanted.count, mailbox) else { return }
    wanted = try uploads.withoutRepeats(wanted, in: mailbox)
    wanted = try unseen.withoutUnseen(wanted, in: mailbox)
    wanted = try FolderLetters(desk: desk).lettered(wanted)
    wanted = try DraftMarks(desk: desk).merged(wanted, in: mailbox)
    try uploads.push(localCopies.push(wanted, to: mailbox), to: mailbox)
    try uploads.pushLabels(of: wanted, in: mailbox)
  }
}
