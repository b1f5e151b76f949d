import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// What a revert gave up and the next pull is to bring: deleted messages, and those whose edited files it set aside.
///
/// Between the moment when a file is set aside and the one when its message is forgotten, the state holds the deletion
/// back. Where a revert was cut off there, the next pull ends that.
struct AwaitedMessages {
  let context: AccountContext

  private var state: StateStore { context.state }

  /// A push must not take these for deleted, if this run is cut off.
  func hold(_ uids: [UID], _ mailbox: Int64) throws {
    let held = UIDSet(uids)
    let before = try state.deletionHolds().first { $0.mailbox == mailbox }
    if let before, before.uids.map({ $0.union(held) == $0 }) ?? true { return }
    var hold =
      before
      ?? DeletionHold(
        mailbox: mailbox, cause: .reverted, count: held.count, total: held.count, uids: UIDSet())
    hold.uids = hold.uids?.union(held)
    try state.transaction { try $0.put(hold, at: context.started) }
    context.noteChange()
  }

  /// The next pull finds that the server has messages of which nothing is known here, and brings them. What the window
  /// would leave out was here all the same, and is marked to come.
  ///
  /// - Parameter back: held back no longer, either; nil for all that a revert held.
  func forget(_ uids: [UID], _ mailbox: Int64, andRelease back: UIDSet? = nil) throws {
    guard var record = try state.mailboxes().first(where: { $0.id == mailbox }) else { return }
    var hold = try state.deletionHolds().first { $0.mailbox == mailbox }
    let released = UIDSet(uids).union(back ?? UIDSet())
    if let held = hold?.uids { hold?.uids = held.subtracting(released) }
    if back == nil, hold?.cause == .reverted { hold?.uids = UIDSet() }
    record.isDirty = record.isDirty || !uids.isEmpty
    let older = try state.messages(in: mailbox, UIDSet(uids)).compactMap {
      $0.awaited(beyond: record.windowStart)
    }
    try state.transaction { transaction in
      for uid in uids { try transaction.remove(uid, from: mailbox) }
      for message in older { try transaction.put(message, in: mailbox) }
      if let hold, let left = hold.uids {
        if left.isEmpty {
          try transaction.removeHold(of: mailbox)
        } else {
          try transaction.put(hold, at: context.started)
        }
      }
      try transaction.save(&record)
    }
    context.noteChange()
  }

  /// Ends what a revert that was cut off had begun: a message whose file lies aside, and not in its folder, is forgotten;
  /// one whose file is there is held back no longer. What is neither, another revert must judge.
  func finish() throws {
    for hold in try state.deletionHolds() where hold.cause == .reverted {
      guard let uids = hold.uids, let local = try context.folders.local(ofMailbox: hold.mailbox)
      else { continue }
      let aside = try asideFolder()
      var gone: [UID] = []
      var back: [UID] = []
      for message in try state.messages(in: hold.mailbox, uids) {
        if try local.locate(message.name, lastFlags: message.agreed.flags) != nil {
          back.append(message.uid)
        } else if try aside?.locate(message.name, lastFlags: message.agreed.flags) != nil {
          gone.append(message.uid)
        }
      }
      guard !gone.isEmpty || !back.isEmpty else { continue }
      try forget(gone, hold.mailbox, andRelease: UIDSet(back))
    }
  }

  /// Where edited files lie; nil where none ever did.
  private func asideFolder() throws -> LocalFolder? {
    guard let path = FolderPath(components: [".mirror", "undo"]),
      try MaildirFolder.exists(path, in: context.tree)
    else { return nil }
    return try context.folders.local(MaildirFolder.open(path, in: context.tree))
  }
}

extension MessageRecord {
  /// The record of a message that the window leaves out: it is known, and wanted all the same.
  fileprivate func awaited(beyond windowStart: Int64?) -> MessageRecord? {
    guard let windowStart, internalDate < windowStart else { return nil }
    var record = MessageRecord(
      uid: uid, name: [], agreed: remote, internalDate: internalDate, traits: [.pruned, .kept],
      emailID: emailID)
    record.serverSize = serverSize
    return record
  }
}
