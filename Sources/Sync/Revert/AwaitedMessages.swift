import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// What a revert gave up and the next pull is to bring: deleted messages, and those whose edited files it set aside.
///
/// From before a file is set aside until its message is forgotten, the record says so (`beingReverted`). Where a revert was
/// cut off in between, the next pull or revert ends that.
struct AwaitedMessages {
  let context: AccountContext

  private var state: StateStore { context.state }

  /// A push must not take these for deleted, if this run is cut off.
  func begin(_ uids: [UID], _ mailbox: MailboxKey) throws { try set(true, uids, mailbox) }

  /// Their files are here, or what is not is a person's own doing.
  func release(_ uids: [UID], _ mailbox: MailboxKey) throws { try set(false, uids, mailbox) }

  private func set(_ isBegun: Bool, _ uids: [UID], _ mailbox: MailboxKey) throws {
    guard !uids.isEmpty else { return }
    try state.transaction { try $0.setReverted(isBegun, UIDSet(uids), in: mailbox) }
    context.noteChange()
  }

  /// The next pull finds that the server has messages of which nothing is known here, and brings them. What the window
  /// would leave out was here all the same, and is marked to come.
  func forget(_ uids: [UID], _ mailbox: MailboxKey) throws {
    guard !uids.isEmpty, var record = try state.mailbox(mailbox) else { return }
    var hold = try state.deletionHolds().first { $0.mailbox == mailbox }
    if let held = hold?.uids { hold?.uids = held.subtracting(UIDSet(uids)) }
    record.isDirty = true
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
      try transaction.save(record)
    }
    context.noteChange()
  }

  /// Ends what a revert that was cut off had begun: a message whose file lies aside, and not in its folder, is forgotten;
  /// of one whose file is there nothing is left to do. What is neither, another revert must judge.
  func finish() throws {
    let aside = try asideFolder()
    for (mailbox, messages) in try releaseThoseHere() {
      let gone = try messages.filter {
        try aside?.file(of: $0) != nil
      }
      try forget(gone.map(\.uid), mailbox)
    }
  }

  /// The files that were never set aside, or that `undo` put back, are as any other from now on.
  ///
  /// - Returns: the other messages.
  @discardableResult func releaseThoseHere() throws -> [MailboxKey: [MessageRecord]] {
    var others = try state.beingReverted()
    for (mailbox, messages) in others {
      let here = try here(messages, mailbox)
      others[mailbox] = messages.filter { !here.contains($0.uid) }
      try release(here.sorted(), mailbox)
    }
    return others
  }

  /// None where the folder is gone, or cannot be read.
  private func here(_ messages: [MessageRecord], _ mailbox: MailboxKey) throws -> Set<UID> {
    do {
      guard let local = try context.folders.local(ofMailbox: mailbox) else { return [] }
      let here = try messages.filter {
        try local.file(of: $0) != nil
      }
      return Set(here.map(\.uid))
    } catch let error as MaildirError where !error.stopsRun {
      return []
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
      identity: identity)
    record.serverSize = serverSize
    return record
  }
}
