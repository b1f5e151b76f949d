import Ledger
import MailCore
import Maildir
import Settings

/// Pure: what was found in the tree, and what is known of the mailboxes, make a plan. No clock, no socket, no disk.
package struct PushPlanner {
  /// Every mailbox that the state knows.
  package var mailboxes: [MailboxRecord]
  package var deletions: DeletionPolicy
  package var allowsMassDelete: Bool
  /// The mailbox that a folder of no mailbox would become; nil where none may.
  package var nameOfNewFolder: (FolderPath) -> String?
  /// By the server's list, where this run has one; else by what the last one left in the state.
  package var roles: FolderRoles?
  /// Whether anything lies where a mailbox has its folder.
  package var hasFolder: (MailboxRecord) -> Bool = { _ in true }
  /// Mailboxes that refused changes too often to be asked again.
  package var closed: Set<Int64>
  /// Single kinds of change that they refused: `marks`, `uploads`, `deletions`, `moves 3`.
  package var denied: [Int64: Set<RefusalSubject>] = [:]
  /// Messages that the server no longer had when they were asked for: a pull has to look first.
  package var lost: Set<MessageKey> = []
  /// Deletions that earlier runs held back.
  package var holds: [DeletionHold] = []
  /// And those that pushes carried out within ``DeletionGuard/memory``.
  package var carried: [CarriedDeletions] = []
  /// Messages, and base names of files, that a step not yet settled is about.
  package var busy: Set<MessageKey> = []
  package var busyNames: Set<[UInt8]> = []
  /// What is under way, by content: its file may have another name by now, and lie elsewhere.
  package var busyContents: Set<UInt64> = []
  package var busyUploads: [UploadUnderWay] = []
  /// Contents of messages that the server expunged, and of which a pull has not found out yet whether it moved them.
  package var awaited: Set<UInt64> = []
  /// Mailboxes that a pull left half way, or has to match first: any file may be a message of theirs.
  package var unsettled: Set<Int64> = []
  /// The state of a tree that holds mail is being made anew.
  package var isAdopting = false
  package var unkeepable: [Int64: UnkeepableMarks]

  package init(
    mailboxes: [MailboxRecord], deletions: DeletionPolicy = .trash, allowsMassDelete: Bool = false,
    closed: Set<Int64> = [], unkeepable: [Int64: UnkeepableMarks] = [:],
    nameOfNewFolder: @escaping (FolderPath) -> String? = { _ in nil }
  ) {
    self.mailboxes = mailboxes
    self.deletions = deletions
    self.allowsMassDelete = allowsMassDelete
    self.closed = closed
    self.unkeepable = unkeepable
    self.nameOfNewFolder = nameOfNewFolder
  }

  package func plan(_ changes: TreeChanges) -> PushPlan {
    var plan = PushPlan()
    plan.renamedFiles = changes.renamed
    plan.surplus = changes.surplus
    plan.twins = changes.twins
    plan.namesakes = changes.namesakes
    let places = roles ?? FolderRoles(mailboxes.filter { !$0.isGone })
    planFolders(changes, &plan)
    planMoves(changes, &plan)
    planEdits(changes, places, &plan)
    planMarks(changes, &plan)
    planUploads(changes, &plan)
    plan.waiting += changes.unmountedElsewhere.sorted { $0.key < $1.key }.map {
      PushPlan.WaitingChanges(mailbox: $0.key, count: $0.value, reason: .unmounted)
    }
    planDeletions(changes, places, &plan)
    return plan
  }

  // MARK: Messages

  private func planMoves(_ changes: TreeChanges, _ plan: inout PushPlan) {
    let renamed = Set(plan.renames.map(\.folder))
    let created = Set(plan.creations.map(\.folder))
    let refused =
      changes.renamedFolders.map(\.folder).filter {
        !renamed.contains($0) && mailboxToBe($0) != nil
      } + plan.refusedCreations.map(\.folder)
    for move in changes.moved {
      if renamed.contains(move.file.folder) { continue }  // its mailbox goes along
      guard isOpen(move.from, &plan), isFree(move.from, move.record, &plan) else { continue }
      if let target = move.file.mailbox {
        guard isOpen(target, &plan), allows(.moves(to: target), move.from, &plan) else { continue }
        // What lies there may be the server's, half pulled.
        if record(target)?.isSettled == false {
          wait(move.from, .pullFirst, &plan)
          continue
        }
      } else if !created.contains(move.file.folder) {
        let folder = move.file.folder
        wait(
          move.from, refused.contains(folder) ? .nameRefused(folder) : reason(of: folder), &plan)
        continue
      }
      plan.moves.append(
        PushPlan.PlannedMove(
          from: move.from, to: move.file.mailbox, record: move.record, file: move.file))
      if move.file.marks != move.record.agreed {
        plan.marks.append(ChangedMarks(move))
      }
    }
  }

  /// A folder without a mailbox to push to: its own mailbox waits for a pull, or it is nobody's.
  private func reason(of folder: FolderPath) -> PushPlan.WaitingChanges.Reason {
    let owners = mailboxes.filter { $0.lies(at: folder) }
    if owners.contains(where: \.needsAdoption) { return .pullFirst }
    return owners.contains(where: \.isGone) ? .goneMailbox(folder) : .notMirrored(folder)
  }

  private func planEdits(
    _ changes: TreeChanges, _ places: FolderRoles, _ plan: inout PushPlan
  ) {
    for edit in changes.edited {
      guard isOpen(edit.mailbox, &plan), isFree(edit.mailbox, edit.record, &plan) else { continue }
      let isDraft =
        places.drafts.contains(edit.mailbox) || edit.file.marks.flags.contains(.draft)
        || edit.record.agreed.flags.contains(.draft)
      if isDraft {
        plan.uploads.append(
          PushPlan.PlannedUpload(mailbox: edit.mailbox, file: edit.file, replaces: edit.record))
      } else {
        plan.edits.append(edit)
      }
    }
  }

  private func planMarks(_ changes: TreeChanges, _ plan: inout PushPlan) {
    let replaced = Set(
      plan.uploads.compactMap { upload in
        upload.replaces.map { MessageKey(mailbox: upload.mailbox, uid: $0.uid) }
      })
    // A new name in the same folder may bring new flags along.
    let renamed = changes.renamed.filter { $0.file.marks != $0.record.agreed }
      .map { ChangedMarks($0) }
    let moved = plan.marks
    plan.marks = []
    for change in moved + changes.marks + renamed {
      let key = MessageKey(mailbox: change.mailbox, uid: change.record.uid)
      guard !replaced.contains(key),
        !MarkDelta(change).without(unkeepable[change.mailbox] ?? UnkeepableMarks()).isEmpty,
        isOpen(change.mailbox, &plan), allows(.marks, change.mailbox, &plan),
        isFree(change.mailbox, change.record, &plan)
      else { continue }
      plan.marks.append(change)
    }
  }

  /// What a pull left unfinished may be the server's already: it is no new message (promise 2).
  private func planUploads(_ changes: TreeChanges, _ plan: inout PushPlan) {
    let movedAway = contents(movedAwayBy: changes.moved.map { ($0.from, $0.record) })
    let leaving = contents(movedAwayBy: plan.moves.map { ($0.from, $0.record) })
    let busy = BusyContents(self, changes)
    for file in changes.new {
      guard let mailbox = file.mailbox, isOpen(mailbox, &plan),
        allows(.uploads, mailbox, &plan)
      else { continue }
      let birth = BirthName(base: file.file.base)
      let birthplace = birth.flatMap { birth in
        mailboxes.first { birth.isBorn(in: $0.mailboxName) }
      }
      if record(mailbox)?.isSettled == false || birthplace?.isSettled == false
        || !unsettled.isEmpty || isAdopting || awaited.contains(file.digest.contentHash)
      {
        wait(mailbox, .pullFirst, &plan)
        continue
      }
      if busyNames.contains(file.file.base)
        || busy.holds(file.digest.contentHash, in: mailbox)
      {
        wait(mailbox, .underWay, &plan)
        continue
      }
      if let unread = changes.unreadFolders.first {
        wait(mailbox, .unread(unread), &plan)
        continue
      }
      var upload = PushPlan.PlannedUpload(mailbox: mailbox, file: file, replaces: nil)
      if movedAway[mailbox]?.contains(file.digest.contentHash) == true {
        // Until the server has moved its like, that one stands for both there.
        guard leaving[mailbox]?.contains(file.digest.contentHash) == true else { continue }
        upload.followsMove = true
      }
      plan.uploads.append(upload)
    }
  }

  /// By the mailbox that they leave.
  private func contents(movedAwayBy moves: [(from: Int64, record: MessageRecord)])
    -> [Int64: Set<UInt64>]
  {
    moves.reduce(into: [:]) { $0[$1.from, default: []].insert($1.record.contentHash) }
  }

  // MARK: Mailboxes

  package func record(_ mailbox: Int64) -> MailboxRecord? { mailboxes.first { $0.id == mailbox } }

  func isOpen(_ mailbox: Int64, _ plan: inout PushPlan) -> Bool {
    guard closed.contains(mailbox) else { return true }
    wait(mailbox, .readOnly, &plan)
    return false
  }

  func allows(_ subject: RefusalSubject, _ mailbox: Int64, _ plan: inout PushPlan) -> Bool {
    guard denied[mailbox]?.contains(subject) == true else { return true }
    wait(mailbox, .readOnly, &plan)
    return false
  }

  /// Neither lost nor under way, and shown by the server.
  func isFree(_ mailbox: Int64, _ record: MessageRecord, _ plan: inout PushPlan) -> Bool {
    let key = MessageKey(mailbox: mailbox, uid: record.uid)
    if busy.contains(key) {
      wait(mailbox, .underWay, &plan)
      return false
    }
    if lost.contains(key) {
      wait(mailbox, .pullFirst, &plan)
      return false
    }
    if record.traits.contains(.outOfView) {
      wait(mailbox, .outOfView, &plan)
      return false
    }
    return true
  }

  private func wait(
    _ mailbox: Int64, _ reason: PushPlan.WaitingChanges.Reason, _ plan: inout PushPlan
  ) {
    let place = plan.waiting.firstIndex { $0.mailbox == mailbox && $0.reason == reason }
    if let place {
      plan.waiting[place].count += 1
    } else {
      plan.waiting.append(PushPlan.WaitingChanges(mailbox: mailbox, count: 1, reason: reason))
    }
  }
}
