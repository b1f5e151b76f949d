import Ledger
import MailCore
import Maildir
import State
import SyncPlan

/// New files that are messages which the window leaves out here, and that another machine keeps; or hold another text of
/// one. No push sends them.
struct WindowedFiles {
  let state: StateStore
  let account: String
  let mailboxes: [MailboxRecord]

  /// Takes them out of a plan; it tells them among what waits.
  func leave(_ plan: inout PushPlan) throws {
    var births: [MailboxKey: [Int: UID]] = [:]
    for (index, upload) in plan.uploads.enumerated() where upload.replaces == nil {
      guard let place = MessageKey(birthplaceOf: upload.file, in: mailboxes) else { continue }
      births[place.mailbox, default: [:]][index] = place.uid
    }
    var found: Set<Int> = []
    for (place, births) in births {
      let pruned = try state.uids(.pruned, in: place)
      let wanted = births.filter { pruned.contains($0.value) }
      let records = try state.messages(in: place, UIDSet(wanted.values.sorted()))
      let known = Dictionary(records.map { ($0.uid, $0) }, uniquingKeysWith: { $1 })
      for (index, uid) in wanted.sorted(by: { $0.key < $1.key }) {
        let file = plan.uploads[index].file
        guard let record = known[uid], let content = content(of: file, record) else { continue }
        found.insert(index)
        plan.outsideWindow.append(
          PushPlan.OutsideWindow(
            mailbox: plan.uploads[index].mailbox, file: file, content: content))
      }
    }
    for index in try moved(among: plan.uploads, besides: found) {
      let upload = plan.uploads[index]
      found.insert(index)
      plan.outsideWindow.append(
        PushPlan.OutsideWindow(mailbox: upload.mailbox, file: upload.file, content: .same))
    }
    guard !found.isEmpty else { return }
    plan.uploads = plan.uploads.enumerated().filter { !found.contains($0.offset) }.map(\.element)
    for (mailbox, files) in plan.outsideWindow.grouped(by: \.mailbox) {
      for (content, reason) in [
        (.same, .outsideWindow), (.another, .textOutsideWindow),
        (.unproven, .unprovenOutsideWindow),
      ] as [(PushPlan.OutsideWindow.Content, PushPlan.WaitingChanges.Reason)] {
        let count = files.count { $0.content == content }
        if count == 0 { continue }
        plan.waiting.append(
          PushPlan.WaitingChanges(mailbox: mailbox, count: count, reason: reason))
      }
    }
  }

  /// Files of messages that were moved since they were born, as a backup brings them back: their own mailbox has the
  /// content. A file without such a name is new mail.
  private func moved(among uploads: [PushPlan.PlannedUpload], besides found: Set<Int>) throws
    -> [Int]
  {
    let wanted = uploads.indices.filter {
      !found.contains($0) && uploads[$0].replaces == nil && uploads[$0].source == nil
        && BirthName(base: uploads[$0].file.file.base)?.account == account
    }
    var moved: [Int] = []
    for (mailbox, indices) in Dictionary(grouping: wanted, by: { uploads[$0].mailbox }) {
      guard try !state.uids(.pruned, in: mailbox).isEmpty else { continue }
      var contents: Set<ContentHash> = []
      try state.forEachMessage(in: mailbox) { record in
        if record.isPruned, record.contentHash != .unknown { contents.insert(record.contentHash) }
      }
      moved += indices.filter { contents.contains(uploads[$0].file.digest.contentHash) }
    }
    return moved.sorted()
  }

  /// - Returns: nil where the file is no text of the message. A message whose header no pull has seen is known by the name
  ///   alone, and another account's mailbox may have the same numbers.
  private func content(of file: UnknownFile, _ record: MessageRecord)
    -> PushPlan.OutsideWindow.Content?
  {
    let digest = file.digest
    if record.headerHash == .unknown {
      return BirthName(base: file.file.base)?.account == account ? .unproven : nil
    }
    guard record.headerHash == digest.headerHash else { return nil }
    if record.contentHash == .unknown { return .unproven }
    return record.contentHash == digest.contentHash ? .same : .another
  }
}

extension MessageKey {
  /// The mailbox that a file's name says it was born in, under the numbers that it has now.
  init?(birthplaceOf file: UnknownFile, in mailboxes: some Sequence<MailboxRecord>) {
    guard let birth = BirthName(base: file.file.base) else { return nil }
    let place = mailboxes.first {
      !$0.isGone && $0.uidValidity == birth.uidValidity.rawValue && birth.isBorn(in: $0.mailboxName)
    }
    guard let id = place?.id else { return nil }
    self.init(mailbox: id, uid: birth.uid)
  }
}
