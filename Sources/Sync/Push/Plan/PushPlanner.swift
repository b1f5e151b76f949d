import MailCore
import Maildir
import Settings
import State

/// Pure: what was found in the tree, and what is known of the mailboxes, make a plan. No clock, no socket, no disk.
package struct PushPlanner {
  /// Every mailbox that the state knows.
  package var mailboxes: [MailboxRecord]
  package var deletions: DeletionPolicy
  package var allowsMassDelete: Bool
  /// The mailbox that a folder of no mailbox would become; nil where none may.
  package var nameOfNewFolder: (FolderPath) -> String?
  /// Mailboxes that refused changes too often to be asked again.
  package var closed: Set<Int64>
  /// Single kinds of change that they refused: `marks`, `uploads`, `deletions`, `moves 3`.
  package var denied: [Int64: Set<String>] = [:]
  /// Messages that the server no longer had when they were asked for: a pull has to look first.
  package var lost: Set<MessageKey> = []
  /// Deletions that earlier runs held back.
  package var holds: [DeletionHold] = []
  /// Messages, and base names of files, that a step not yet settled is about.
  package var busy: Set<MessageKey> = []
  package var busyNames: Set<[UInt8]> = []
  /// What is under way to a mailbox, by content: its file may have another name by now.
  package var busyContents: [Int64: Set<UInt64>] = [:]
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

  package func plan(_ changes: LocalChanges) -> PushPlan {
    var plan = PushPlan()
    plan.renamedFiles = changes.renamed
    plan.surplus = changes.surplus
    plan.twins = changes.twins
    plan.namesakes = changes.namesakes
    let places = FolderRoles(mailboxes)
    planFolders(changes, &plan)
    planMoves(changes, &plan)
    planEdits(changes, places, &plan)
    planMarks(changes, &plan)
    planUploads(changes, &plan)
    planDeletions(changes, places, &plan)
    return plan
  }

  // MARK: Folders

  private func planFolders(_ changes: LocalChanges, _ plan: inout PushPlan) {
    var renamed = Set<FolderPath>()
    var refused: [String] = []
    let delimiter = mailboxes.lazy.compactMap(\.delimiter).first ?? "/"
    for change in changes.renamedFolders {
      guard let name = nameOfNewFolder(change.folder), record(change.mailbox)?.isInbox == false
      else { continue }
      renamed.insert(change.folder)
      if isRefused(change, name) { refused.append(name + delimiter) }
      plan.renames.append(
        PushPlan.FolderRename(mailbox: change.mailbox, folder: change.folder, name: name))
    }
    // The server would make what is above them.
    func isBelowRefused(_ name: String) -> Bool {
      refused.contains { (name + delimiter).hasPrefix($0) }
    }
    plan.renames.removeAll { isBelowRefused($0.name) }
    // Parents first: the server renames what is below along with them. Their names are shorter in every layout.
    plan.renames.sort { $0.name.utf8.count < $1.name.utf8.count }
    for folder in changes.newFolders where !renamed.contains(folder) {
      guard let name = nameOfNewFolder(folder), !isBelowRefused(name) else { continue }
      plan.creations.append(PushPlan.FolderCreation(folder: folder, name: name))
    }
  }

  /// The server does not take this name, and the folder could not get its old one again: no other mailbox is made of it.
  private func isRefused(_ change: LocalChanges.RenamedFolder, _ name: String) -> Bool {
    let rename = PushPlan.FolderRename(mailbox: change.mailbox, folder: change.folder, name: name)
    return denied[change.mailbox]?.contains(rename.subject) == true
  }

  // MARK: Messages

  private func planMoves(_ changes: LocalChanges, _ plan: inout PushPlan) {
    let renamed = Set(plan.renames.map(\.folder))
    let created = Set(plan.creations.map(\.folder))
    let refused = changes.renamedFolders.map(\.folder).filter {
      !renamed.contains($0) && nameOfNewFolder($0) != nil
    }
    for move in changes.moved {
      if renamed.contains(move.file.folder) { continue }  // its mailbox goes along
      guard isOpen(move.from, &plan), isFree(move.from, move.record, &plan) else { continue }
      if let target = move.file.mailbox {
        guard isOpen(target, &plan), allows("moves \(target)", move.from, &plan) else { continue }
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
        plan.marks.append(
          ChangedMarks(
            mailbox: move.from, record: move.record, local: move.file.marks, size: move.file.size))
      }
    }
  }

  /// A folder without a mailbox to push to: its own mailbox waits for a pull, or it is nobody's.
  private func reason(of folder: FolderPath) -> PushPlan.WaitingChanges.Reason {
    let waits = mailboxes.contains { $0.needsAdoption && $0.folder == folder.text }
    return waits ? .pullFirst : .notMirrored(folder)
  }

  private func planEdits(
    _ changes: LocalChanges, _ places: FolderRoles, _ plan: inout PushPlan
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

  private func planMarks(_ changes: LocalChanges, _ plan: inout PushPlan) {
    let replaced = Set(
      plan.uploads.compactMap { upload in
        upload.replaces.map { MessageKey(mailbox: upload.mailbox, uid: $0.uid) }
      })
    // A new name in the same folder may bring new flags along.
    let renamed = changes.renamed.filter { $0.file.marks != $0.record.agreed }.map {
      ChangedMarks(mailbox: $0.from, record: $0.record, local: $0.file.marks, size: $0.file.size)
    }
    let moved = plan.marks
    plan.marks = []
    for change in moved + changes.marks + renamed {
      let key = MessageKey(mailbox: change.mailbox, uid: change.record.uid)
      guard !replaced.contains(key),
        !MarkDelta(change).without(unkeepable[change.mailbox] ?? UnkeepableMarks()).isEmpty,
        isOpen(change.mailbox, &plan), allows("marks", change.mailbox, &plan),
        isFree(change.mailbox, change.record, &plan)
      else { continue }
      plan.marks.append(change)
    }
  }

  /// What a pull left unfinished may be the server's already: it is no new message (promise 2).
  private func planUploads(_ changes: LocalChanges, _ plan: inout PushPlan) {
    let movedAway = contents(movedAwayBy: changes.moved.map { ($0.from, $0.record) })
    let leaving = contents(movedAwayBy: plan.moves.map { ($0.from, $0.record) })
    for file in changes.new {
      guard let mailbox = file.mailbox, isOpen(mailbox, &plan),
        allows("uploads", mailbox, &plan)
      else { continue }
      let birth = BirthName(base: file.file.base)
      let birthplace = birth.flatMap { birth in
        mailboxes.first { birth.isBorn(in: $0.mailboxName) }
      }
      if record(mailbox)?.isSettled == false || birthplace?.isSettled == false
        || !unsettled.isEmpty || isAdopting
      {
        wait(mailbox, .pullFirst, &plan)
        continue
      }
      if busyNames.contains(file.file.base)
        || busyContents[mailbox]?.contains(file.digest.contentHash) == true
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

  private func planDeletions(
    _ changes: LocalChanges, _ places: FolderRoles, _ plan: inout PushPlan
  ) {
    var gone: [MissingMessage] = []
    var shut: [MissingMessage] = []
    for message in changes.gone {
      if !isOpen(message.mailbox, &plan) || !allows("deletions", message.mailbox, &plan) {
        shut.append(message)
      } else if isFree(message.mailbox, message.record, &plan) {
        gone.append(message)
      }
    }
    let judge = DeletionGuard(
      expected: changes.expected, goneFolders: Set(changes.goneFolders),
      allowsMassDelete: allowsMassDelete, holds: holds)
    var held: [PushPlan.HeldDeletions] = []
    let allowed = judge.judge(gone, &held)
    // What cannot go now may be able to when nothing shows any more what became of the folder.
    var unheard: [PushPlan.HeldDeletions] = []
    _ = judge.judge(shut, &unheard)
    plan.holds = holds(behind: held + unheard, changes, plan)
    if let file = changes.unreadable.first ?? changes.unreadFolders.first {
      for (mailbox, messages) in Dictionary(grouping: gone, by: \.mailbox).sorted(by: {
        $0.key < $1.key
      }) {
        plan.held.append(PushPlan.HeldDeletions(messages, in: mailbox, .unreadable(file)))
      }
      return
    }
    plan.held += held
    for message in allowed {
      let isFinal = deletions == .expunge || places.trash.contains(message.mailbox)
      plan.deletions.append(
        PushPlan.PlannedDeletion(
          mailbox: message.mailbox, record: message.record, way: isFinal ? .expunge : .trash))
    }
  }

  /// What was held back stays so until its file is found or its record is gone; of folders that could not be looked
  /// into nothing is known.
  private func holds(
    behind held: [PushPlan.HeldDeletions], _ changes: LocalChanges, _ plan: PushPlan
  ) -> [DeletionHold] {
    var kept = Dictionary(holds.map { ($0.mailbox, $0) }) { first, _ in first }
    let judged = Dictionary(held.map { ($0.mailbox, $0) }) { first, _ in first }
    let gone = Dictionary(grouping: changes.gone, by: \.mailbox).mapValues {
      UIDSet($0.map(\.record.uid))
    }
    // The folder of a mailbox that is to be renamed is not gone.
    let renamed = Set(plan.renames.map(\.mailbox))
    for mailbox in changes.looked where !renamed.contains(mailbox) {
      let old = kept[mailbox]
      let missing = gone[mailbox] ?? UIDSet()
      var uids = judged[mailbox]?.uids ?? UIDSet()
      if let old { uids = uids.union(old.uids?.intersection(missing) ?? missing) }
      if let old, record(mailbox)?.isSettled == false {
        guard let before = old.uids else { continue }
        uids = uids.union(before)
      }
      guard uids != old?.uids else { continue }
      kept[mailbox] = uids.isEmpty ? nil : judged[mailbox]?.hold ?? old
      kept[mailbox]?.uids = uids
    }
    return kept.values.sorted { $0.mailbox < $1.mailbox }
  }

  // MARK: Mailboxes

  private func record(_ mailbox: Int64) -> MailboxRecord? { mailboxes.first { $0.id == mailbox } }

  private func isOpen(_ mailbox: Int64, _ plan: inout PushPlan) -> Bool {
    guard closed.contains(mailbox) else { return true }
    wait(mailbox, .readOnly, &plan)
    return false
  }

  private func allows(_ subject: String, _ mailbox: Int64, _ plan: inout PushPlan) -> Bool {
    guard denied[mailbox]?.contains(subject) == true else { return true }
    wait(mailbox, .readOnly, &plan)
    return false
  }

  /// Neither lost nor under way.
  private func isFree(_ mailbox: Int64, _ record: MessageRecord, _ plan: inout PushPlan) -> Bool {
    let key = MessageKey(mailbox: mailbox, uid: record.uid)
    if busy.contains(key) {
      wait(mailbox, .underWay, &plan)
      return false
    }
    if lost.contains(key) {
      wait(mailbox, .pullFirst, &plan)
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

extension MailboxRecord {
  /// No pull left it half way: every file that the server sent has its record.
  var isSettled: Bool { !isDirty && !needsAdoption }
  fileprivate var isInbox: Bool { mailboxName.isInbox }
}

/// What mailboxes are for: by SPECIAL-USE, else by the names that clients and servers agree on.
package struct FolderRoles {
  package private(set) var trash: Set<Int64> = []
  package private(set) var drafts: Set<Int64> = []
  package private(set) var sent: Set<Int64> = []

  package init(_ mailboxes: [MailboxRecord]) {
    trash = Self.find(.trash, Self.trashNames, mailboxes)
    drafts = Self.find(.drafts, ["drafts"], mailboxes)
    sent = Self.find(.sent, Self.sentNames, mailboxes)
  }

  package static let trashNames: Set<String> = [
    "trash", "deleted items", "deleted messages", "bin", "deleted",
  ]

  package static let sentNames: Set<String> = [
    "sent", "sent items", "sent messages", "sent mail", "sent-mail",
  ]

  private static func find(_ use: SpecialUse, _ names: Set<String>, _ mailboxes: [MailboxRecord])
    -> Set<Int64>
  {
    let special = mailboxes.filter { $0.specialUse == use.rawValue }
    if !special.isEmpty { return Set(special.compactMap(\.id)) }
    return Set(mailboxes.filter { isNamed($0.mailboxName, names) }.compactMap(\.id))
  }

  /// The name itself, or behind the `INBOX.` that some servers put before all.
  package static func isNamed(_ mailbox: MailboxName, _ names: Set<String>) -> Bool {
    var levels = mailbox.levels
    if levels.count == 2, levels[0] == "INBOX" { levels.removeFirst() }
    return levels.count == 1 && names.contains(Keywords.fold(levels[0]))
  }
}
