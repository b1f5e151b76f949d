import Ledger
import MailCore
import Maildir
import Remote

/// A UID may mean another message than it did: a server that was restored from a backup, or that renumbers unasked,
/// gives it again under the same UIDVALIDITY. So before a message is deleted, replaced, or moved to where servers delete
/// by themselves (Trash, Junk), its header is looked at; before any other move or its flags are changed only where no more
/// than a push has met it so far, and where the server is known to renumber (``Quirk/unstableUIDs``).
struct UIDCheck: PushPart {
  let desk: PushDesk

  /// Before a deletion: what is there must be what was meant. The next pull brings another, and what was meant can be
  /// deleted then.
  func withoutOthers(_ batch: [MessageRecord], in mailbox: MailboxKey) throws -> [MessageRecord] {
    let look = try look(at: batch, in: mailbox)
    var others = Set<UID>()
    for record in batch {
      if let found = look.differing[record.uid], isAnother(found, to: record, in: mailbox) {
        others.insert(record.uid)
      }
    }
    try tellHidden(look.hidden, "deletions", in: mailbox)
    if !others.isEmpty {
      try forget(others, in: mailbox)
      tell(
        mailbox,
        "\(Self.words(others.count, "deleted")) on the server by now: nothing was deleted "
          + "there.", remedy: "The next pull brings what is there.")
    }
    return batch.filter { !others.contains($0.uid) && !look.hidden.contains($0.uid) }
  }

  /// Before a change that is not a deletion.
  ///
  /// - Parameter header: of the file that is here, wherever a person put it; nil where it went away.
  func without<Item>(
    _ items: [Item], _ record: KeyPath<Item, MessageRecord>, unconfirmedOnly: Bool,
    in mailbox: MailboxKey, header: (Item) throws -> [UInt8]?
  ) throws -> [Item] {
    let look = try look(
      at: items.map { $0[keyPath: record] }, unconfirmedOnly: unconfirmedOnly, in: mailbox)
    try tellHidden(look.hidden, "changes", in: mailbox)
    var others = Set<UID>()
    let left = try items.filter { item in
      let known = item[keyPath: record]
      if look.hidden.contains(known.uid) { return false }
      guard let found = look.differing[known.uid] else { return true }
      // Whether it is another message nobody can tell any more: the next push sees what became of the file.
      guard let own = try header(item) else { return false }
      let isAnother = isAnother(
        found, to: known, messageID: MessageIDField.value(in: own), in: mailbox)
      if isAnother { others.insert(known.uid) }
      return !isAnother
    }
    try leaveAlone(others, in: mailbox)
    return left
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
  func look(at batch: [MessageRecord], unconfirmedOnly: Bool = false, in mailbox: MailboxKey) throws
    -> HeaderLook
  {
    let wanted = batch.filter {
      !unconfirmedOnly || $0.headerHash != .unknown && known.isUnconfirmed($0.uid, in: mailbox)
    }
    guard !wanted.isEmpty else { return HeaderLook() }
    return try mailboxes.with(mailbox) { open in
      var look = HeaderLook()
      let headers = try open.headers(of: UIDSet(wanted.map(\.uid)))
      var absent: [UID] = []
      for record in wanted {
        guard let found = headers[record.uid] else {
          absent.append(record.uid)
          continue
        }
        if found.headerHash != record.headerHash { look.differing[record.uid] = found }
      }
      try spareThoseOfSameContent(&look, wanted, open)
      if !absent.isEmpty, !unconfirmedOnly {
        look.hidden = Set(try open.existing(UIDSet(absent)).uids)
      }
      return look
    } ?? HeaderLook()
  }

  /// Some servers show another header by itself than in the whole message: where date and size are what they were, the
  /// whole message decides.
  private func spareThoseOfSameContent(
    _ look: inout HeaderLook, _ batch: [MessageRecord], _ open: borrowing OpenMailbox
  ) throws {
    let doubtful = batch.filter { record in
      guard let found = look.differing[record.uid], record.serverSize != 0 else { return false }
      return found.date == record.internalDate && found.announcedSize == record.serverSize
    }
    guard !doubtful.isEmpty else { return }
    let contents = try open.contents(of: UIDSet(doubtful.map(\.uid)))
    for record in doubtful where contents[record.uid]?.holds(record) == true {
      look.differing[record.uid] = nil
    }
  }

  /// Whether what has another header than the record tells is another message: servers may rewrite the header of what
  /// was sent to them, but put no other message's Message-ID into it, and leave the date that it was sent with.
  ///
  /// - Parameter own: the Message-ID that is meant; nil where it has none, or its file is gone.
  func isAnother(
    _ found: DigestProbe.Found, to record: MessageRecord, messageID own: String? = nil,
    in mailbox: MailboxKey
  ) -> Bool {
    if let own { return own != found.messageID }
    if record.hasServersHeader, !wasReplaced(record, in: mailbox) { return true }
    guard let date = found.date else { return record.headerHash != .unknown }
    return record.internalDate != date
  }

  /// A draft that was pulled, edited and sent keeps its name.
  private func wasReplaced(_ record: MessageRecord, in mailbox: MailboxKey) -> Bool {
    guard let home = known.records[mailbox]?.mailboxName,
      let birth = BirthName(base: record.name)
    else { return false }
    return birth.isBorn(in: home) && birth.uid != record.uid
  }

  /// A message whose header the server does not show stays as it is.
  private func tellHidden(_ uids: Set<UID>, _ what: String, in mailbox: MailboxKey) throws {
    guard !uids.isEmpty else { return }
    count(.waiting, mailbox, detail: "not shown", count: uids.count)
    tell(
      mailbox,
      "The server did not show the headers of \(Quantities.count(uids.count, "message")): "
        + "their \(what) wait, since they may be others by now.",
      remedy: "It is tried again on every push.")
  }

  private func leaveAlone(_ others: Set<UID>, in mailbox: MailboxKey) throws {
    guard !others.isEmpty else { return }
    try forget(others, in: mailbox)
    tell(
      mailbox,
      "\(Self.words(others.count, "changed")) on the server by now: it looks as if that was "
        + "restored from a backup, or numbers its messages anew. What is there was left alone.",
      remedy: "The next pull brings it; the next push sends what is here again.")
  }

  private static func words(_ count: Int, _ done: String) -> String {
    count == 1
      ? "1 message that was \(done) here is another"
      : "\(count) messages that were \(done) here are others"
  }

  /// They are what the next pull brings.
  func forget(_ others: Set<UID>, in mailbox: MailboxKey) throws {
    try forgetUnconfirmed(others.filter { known.isUnconfirmed($0, in: mailbox) }, in: mailbox)
    for uid in others where !known.isUnconfirmed(uid, in: mailbox) {
      try known.leaveToPull(uid, in: mailbox)
    }
  }

  /// Any pull asks for UIDs beyond those that pulls have seen: for these the mailbox need not be listed anew, and its
  /// changes need not wait until then.
  func forgetUnconfirmed(_ uids: Set<UID>, in mailbox: MailboxKey) throws {
    guard !uids.isEmpty else { return }
    try write { transaction in
      for uid in uids { try transaction.remove(uid, from: mailbox) }
      try transaction.removeScan(of: mailbox)
      try known.forgetCount(of: mailbox, transaction)
    }
  }
}
