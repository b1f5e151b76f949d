import IMAPClient
import IMAPWire
import MailCore
import State

/// Where a UID may mean another message than it did, the message is looked at before anything is done to it: where only
/// a push has met it so far, since a server that was restored from a backup gives the UIDs that it told then to other
/// messages; and before deletions where the server renumbers unasked (``Quirk/unstableUIDs``).
extension PushExecutor {
  /// Whether no pull has seen the message yet: only the server's word at the end of a push tells of its UID.
  func isUnconfirmed(_ uid: UID, in mailbox: Int64) -> Bool {
    records[mailbox].map { uid.rawValue > $0.forwardCursor } ?? false
  }

  /// Before a deletion: a message with another header is another. The next pull brings it, and what was meant can be
  /// deleted then.
  func withoutStrangers(_ batch: [MessageRecord], in mailbox: Int64) throws -> [MessageRecord] {
    let isUnstable = remote.session.quirks.contains(.unstableUIDs)
    let strangers = Set(try differing(batch, in: mailbox, all: isUnstable).keys)
    guard !strangers.isEmpty else { return batch }
    try forget(strangers, in: mailbox)
    context.note(
      RunProblem(
        mailbox: name(mailbox),
        problem:
          "\(Self.others(strangers.count, "deleted")) on the server by now: nothing was deleted "
          + "there.", remedy: "The next pull brings what is there."))
    return batch.filter { !strangers.contains($0.uid) }
  }

  /// Before flags and keywords are changed.
  func withoutStrangers(_ changes: [ChangedMarks], in mailbox: Int64) throws -> [ChangedMarks] {
    try without(changes, \.record, in: mailbox) { change in
      if let file = change.file { return try header(of: file) }
      return try context.folder(ofMailbox: mailbox)?
        .header(of: change.record.name, lastFlags: change.local.flags)
    }
  }

  /// Before a move that a person made here.
  func withoutStrangers(_ batch: [Transfer], in mailbox: Int64) throws -> [Transfer] {
    try without(batch, \.record, in: mailbox) { try $0.file.flatMap(header) }
  }

  /// - Parameter header: of the file that is here, wherever a person put it; nil where it went away.
  private func without<Item>(
    _ items: [Item], _ record: KeyPath<Item, MessageRecord>, in mailbox: Int64,
    header: (Item) throws -> [UInt8]?
  ) throws -> [Item] {
    let differing = try differing(items.map { $0[keyPath: record] }, in: mailbox)
    var strangers = Set<UID>()
    let left = try items.filter { item in
      let uid = item[keyPath: record].uid
      guard let found = differing[uid] else { return true }
      // Whether it is a stranger nobody can tell any more: the next push sees what became of the file.
      guard let own = try header(item) else { return false }
      let isStranger = found.isStranger(to: MessageIDField.value(in: own))
      if isStranger { strangers.insert(uid) }
      return !isStranger
    }
    try leaveAlone(strangers, in: mailbox)
    return left
  }

  /// Nil where the file is gone.
  func header(of file: UnknownFile) throws -> [UInt8]? {
    try context.local(try context.openFolder(file.folder))
      .header(of: file.file.base, lastFlags: file.marks.flags)
  }

  /// Of the messages that have to be looked at those whose header on the server is another than the state's. One that
  /// the server does not show is left to whatever looks for it next.
  ///
  /// - Parameter all: those that a pull has seen are looked at, too.
  func differing(_ batch: [MessageRecord], in mailbox: Int64, all: Bool = false) throws
    -> [UID: DigestProbe.Found]
  {
    let doubtful = batch.filter {
      $0.headerHash != 0 && (all || isUnconfirmed($0.uid, in: mailbox))
    }
    guard !doubtful.isEmpty, try open(mailbox) else { return [:] }
    let headers = try remote.headers(
      of: UIDSet(doubtful.map(\.uid)), labelName: policy.keywords.line?.name)
    var differing: [UID: DigestProbe.Found] = [:]
    for record in doubtful {
      if let found = headers[record.uid], found.hash != record.headerHash {
        differing[record.uid] = found
      }
    }
    return differing
  }

  private func leaveAlone(_ strangers: Set<UID>, in mailbox: Int64) throws {
    guard !strangers.isEmpty else { return }
    try forget(strangers, in: mailbox)
    context.note(
      RunProblem(
        mailbox: name(mailbox),
        problem:
          "\(Self.others(strangers.count, "changed")) on the server by now: it looks as if that was "
          + "restored from a backup. What is there was left alone.",
        remedy: "The next pull brings it; the next push sends what is here again."))
  }

  private static func others(_ count: Int, _ done: String) -> String {
    count == 1
      ? "1 message that was \(done) here is another"
      : "\(count) messages that were \(done) here are others"
  }

  private func forget(_ strangers: Set<UID>, in mailbox: Int64) throws {
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

extension DigestProbe.Found {
  /// Servers may rewrite a header, but not put another message's Message-ID into it.
  ///
  /// - Parameter own: the Message-ID that is meant; nil where the file has none.
  func isStranger(to own: String?) -> Bool { own.map { $0 != messageID } ?? false }
}

extension LocalFolder {
  /// Nil where the file is gone.
  func header(of base: [UInt8], lastFlags: MessageFlags) throws -> [UInt8]? {
    try withFile(base, lastFlags: lastFlags) { try folder.header(of: $0, policy: policy) }
  }
}
