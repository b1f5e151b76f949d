import IMAPClient
import IMAPWire
import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import State
import SyncPlan

/// A UID may mean another message than it did: a server that was restored from a backup, or that renumbers unasked,
/// gives it again under the same UIDVALIDITY. So before a message is deleted, replaced, or moved to where servers delete
/// by themselves (Trash, Junk), its header is looked at; before any other move or its flags are changed only where no more
/// than a push has met it so far, and where the server is known to renumber (``Quirk/unstableUIDs``).
extension PushExecutor {
  /// Whether no pull has seen the message yet: only the server's word at the end of a push tells of its UID.
  func isUnconfirmed(_ uid: UID, in mailbox: Int64) -> Bool {
    records[mailbox].map { uid.rawValue > $0.forwardCursor } ?? false
  }

  /// Whether a message is looked at before its flags are changed.
  func isDoubtful(_ uid: UID, in mailbox: Int64) -> Bool {
    isUnconfirmed(uid, in: mailbox) || remote.session.quirks.contains(.unstableUIDs)
  }

  /// Before a deletion: what is there must be what was meant. The next pull brings another, and what was meant can be
  /// deleted then.
  func withoutStrangers(_ batch: [MessageRecord], in mailbox: Int64) throws -> [MessageRecord] {
    let look = try look(at: batch, in: mailbox)
    var strangers = Set<UID>()
    for record in batch {
      if let found = look.differing[record.uid], isStranger(found, to: record, in: mailbox) {
        strangers.insert(record.uid)
      }
    }
    try noteHidden(look.hidden, "deletions", in: mailbox)
    if !strangers.isEmpty {
      try forget(strangers, in: mailbox)
      context.note(
        RunProblem(
          mailbox: name(mailbox),
          problem:
            "\(Self.others(strangers.count, "deleted")) on the server by now: nothing was deleted "
            + "there.", remedy: "The next pull brings what is there."))
    }
    return batch.filter { !strangers.contains($0.uid) && !look.hidden.contains($0.uid) }
  }

  /// Before flags and keywords are changed.
  func withoutStrangers(_ changes: [ChangedMarks], in mailbox: Int64) throws -> [ChangedMarks] {
    let isUnstable = remote.session.quirks.contains(.unstableUIDs)
    return try without(changes, \.record, unconfirmedOnly: !isUnstable, in: mailbox) { change in
      if let file = change.file { return try header(of: file) }
      return try context.folders.local(ofMailbox: mailbox)?
        .header(of: change.record.name, lastFlags: change.local.flags)
    }
  }

  /// Before a move that a person made here.
  func withoutStrangers(_ batch: [Transfer], in mailbox: Int64, to target: Int64) throws
    -> [Transfer]
  {
    let isUnstable = remote.session.quirks.contains(.unstableUIDs)
    return try without(
      batch, \.record, unconfirmedOnly: !deletesByItself(target) && !isUnstable, in: mailbox
    ) { try $0.file.flatMap(header) }
  }

  /// Trash and Junk, by their marks or their names.
  private func deletesByItself(_ mailbox: Int64) -> Bool {
    guard let record = records[mailbox] else { return false }
    return roles.trash.contains(mailbox) || record.specialUse == SpecialUse.junk.rawValue
      || [.trash, .junk].contains {
        FolderRoles.isNamed(record.mailboxName, FolderRoles.names(of: $0))
      }
  }

  /// - Parameter header: of the file that is here, wherever a person put it; nil where it went away.
  private func without<Item>(
    _ items: [Item], _ record: KeyPath<Item, MessageRecord>, unconfirmedOnly: Bool,
    in mailbox: Int64, header: (Item) throws -> [UInt8]?
  ) throws -> [Item] {
    let look = try look(
      at: items.map { $0[keyPath: record] }, unconfirmedOnly: unconfirmedOnly, in: mailbox)
    try noteHidden(look.hidden, "changes", in: mailbox)
    var strangers = Set<UID>()
    let left = try items.filter { item in
      let known = item[keyPath: record]
      if look.hidden.contains(known.uid) { return false }
      guard let found = look.differing[known.uid] else { return true }
      // Whether it is a stranger nobody can tell any more: the next push sees what became of the file.
      guard let own = try header(item) else { return false }
      let isStranger = isStranger(
        found, to: known, messageID: MessageIDField.value(in: own), in: mailbox)
      if isStranger { strangers.insert(known.uid) }
      return !isStranger
    }
    try leaveAlone(strangers, in: mailbox)
    return left
  }

  /// Nil where the file is gone.
  func header(of file: UnknownFile) throws -> [UInt8]? {
    try context.folders.local(try context.folders.open(file.folder))
      .header(of: file.file.base, lastFlags: file.marks.flags)
  }

  /// What the headers of some messages on the server say.
  struct HeaderLook {
    /// Those that are not the state's.
    var differing: [UID: DigestProbe.Found] = [:]
    /// Messages that are there, and of which the server showed no header.
    var hidden: Set<UID> = []
  }

  /// One FETCH for all of them. One that is not there is left to whatever looks for it next.
  ///
  /// - Parameter unconfirmedOnly: those that a pull has seen are not looked at.
  func look(at batch: [MessageRecord], unconfirmedOnly: Bool = false, in mailbox: Int64) throws
    -> HeaderLook
  {
    let wanted = batch.filter {
      !unconfirmedOnly || $0.headerHash != 0 && isUnconfirmed($0.uid, in: mailbox)
    }
    var look = HeaderLook()
    guard !wanted.isEmpty, try open(mailbox) else { return look }
    let headers = try remote.headers(
      of: UIDSet(wanted.map(\.uid)), labelName: policy.keywords.line?.name)
    var absent: [UID] = []
    for record in wanted {
      guard let found = headers[record.uid] else {
        absent.append(record.uid)
        continue
      }
      if found.hash != record.headerHash { look.differing[record.uid] = found }
    }
    try spareThoseOfSameContent(&look, wanted)
    if !absent.isEmpty, !unconfirmedOnly {
      look.hidden = Set(try remote.existing(UIDSet(absent)).uids)
    }
    return look
  }

  /// Some servers show another header by itself than in the whole message: where date and size are what they were, the
  /// whole message decides.
  private func spareThoseOfSameContent(_ look: inout HeaderLook, _ batch: [MessageRecord]) throws {
    let doubtful = batch.filter { record in
      guard let found = look.differing[record.uid], record.serverSize != 0 else { return false }
      return found.date == record.internalDate && found.announcedSize == record.serverSize
    }
    guard !doubtful.isEmpty else { return }
    let contents = try remote.contents(
      of: UIDSet(doubtful.map(\.uid)), labelName: policy.keywords.line?.name)
    for record in doubtful where contents[record.uid]?.holds(record) == true {
      look.differing[record.uid] = nil
    }
  }

  /// Whether what has another header than the record tells is another message: servers may rewrite the header of what
  /// was sent to them, but put no other message's Message-ID into it, and leave the date that it was sent with.
  ///
  /// - Parameter own: the Message-ID that is meant; nil where it has none, or its file is gone.
  func isStranger(
    _ found: DigestProbe.Found, to record: MessageRecord, messageID own: String? = nil,
    in mailbox: Int64
  ) -> Bool {
    if let own { return own != found.messageID }
    if record.hasServersHeader, !wasReplaced(record, in: mailbox) { return true }
    guard let date = found.date else { return record.headerHash != 0 }
    return record.internalDate != date
  }

  /// A draft that was pulled, edited and sent keeps its name.
  private func wasReplaced(_ record: MessageRecord, in mailbox: Int64) -> Bool {
    guard let home = records[mailbox]?.mailboxName,
      let birth = BirthName(base: RewrittenName.original(of: record.name))
    else { return false }
    return birth.isBorn(in: home) && birth.uid != record.uid
  }

  /// A message whose header the server does not show stays as it is.
  private func noteHidden(_ uids: Set<UID>, _ what: String, in mailbox: Int64) throws {
    guard !uids.isEmpty else { return }
    count(PushAction(.waiting, mailbox: name(mailbox), detail: "not shown", count: uids.count))
    context.note(
      RunProblem(
        mailbox: name(mailbox),
        problem:
          "The server did not show the headers of \(Quantities.count(uids.count, "message")): "
          + "their \(what) wait, since they may be others by now.",
        remedy: "It is tried again on every push."))
  }

  private func leaveAlone(_ strangers: Set<UID>, in mailbox: Int64) throws {
    guard !strangers.isEmpty else { return }
    try forget(strangers, in: mailbox)
    context.note(
      RunProblem(
        mailbox: name(mailbox),
        problem:
          "\(Self.others(strangers.count, "changed")) on the server by now: it looks as if that was "
          + "restored from a backup, or numbers its messages anew. What is there was left alone.",
        remedy: "The next pull brings it; the next push sends what is here again."))
  }

  private static func others(_ count: Int, _ done: String) -> String {
    count == 1
      ? "1 message that was \(done) here is another"
      : "\(count) messages that were \(done) here are others"
  }

  /// They are what the next pull brings.
  func forget(_ strangers: Set<UID>, in mailbox: Int64) throws {
    try forgetUnconfirmed(strangers.filter { isUnconfirmed($0, in: mailbox) }, in: mailbox)
    for uid in strangers where !isUnconfirmed(uid, in: mailbox) {
      try leaveToPull(uid, in: mailbox)
    }
  }

  /// Any pull asks for UIDs beyond those that pulls have seen: for these the mailbox need not be listed anew, and its
  /// changes need not wait until then.
  func forgetUnconfirmed(_ uids: Set<UID>, in mailbox: Int64) throws {
    guard !uids.isEmpty else { return }
    try state.transaction { transaction in
      for uid in uids { try transaction.remove(uid, from: mailbox) }
      try transaction.removeScan(of: mailbox)
      try forgetCount(of: mailbox, transaction)
    }
    context.noteChange()
  }

  /// Forgotten here, so that the next pull brings what the server has.
  func leaveToPull(_ uid: UID, in mailbox: Int64) throws {
    try state.transaction { try $0.remove(uid, from: mailbox) }
    try listAgain(mailbox)
  }
}

extension LocalFolder {
  /// Nil where the file is gone.
  func header(of base: [UInt8], lastFlags: MessageFlags) throws -> [UInt8]? {
    try withFile(base, lastFlags: lastFlags) { try folder.header(of: $0, policy: policy) }
  }
}
