import IMAPWire
import Ledger
import MailCore
import Remote

/// How messages leave a mailbox after they were copied on, or replaced; chosen once for a connection (``Dialect``).
protocol RemovalWay {
  func remove(_ uids: UIDSet, in mailbox: MailboxKey) throws -> Removal
}

/// What is gone, and the refusal.
typealias Removal = (done: UIDSet, refusal: TaggedResult?)

/// Expunges exactly the messages that are named. Where the server cannot do that, they are marked \Deleted, which is
/// said.
struct Expunger: RemovalWay, PushPart {
  let desk: PushDesk

  func remove(_ uids: UIDSet, in mailbox: MailboxKey) throws -> Removal {
    try mailboxes.with(mailbox) { try remove(uids, in: mailbox, $0) } ?? (UIDSet(), nil)
  }

  func remove(_ uids: UIDSet, in mailbox: MailboxKey, _ open: borrowing OpenMailbox) throws
    -> Removal
  {
    var done = UIDSet()
    var marked = 0
    for chunk in open.chunks(uids) {
      let there = try open.nameable(chunk)
      guard !there.isEmpty else {
        done = done.union(chunk)
        continue
      }
      let answer = try open.run([try .uidStore(there, .add, flags: .deleted)]).result(0)
      guard answer.isOK else { return (done, answer) }
      marked += there.count
      guard remote.canExpunge else {
        done = done.union(chunk)
        continue
      }
      let expunged = try open.run([.uidExpunge(chunk), session.look(for: chunk)])
      let result = try expunged.result(0)
      guard result.isOK else { return (done, result) }
      // Dovecot may search first, and then tells what was there before while the expunge is still unanswered.
      let still = (expunged.found[1] ?? UIDSet()).intersection(chunk)
      done = done.union(chunk.subtracting(still))
      guard still.isEmpty else { return (done, .stillThere(still.count)) }
    }
    if !remote.canExpunge, marked > 0 {
      tell(
        mailbox,
        "This server cannot expunge single messages: \(marked) are marked \\Deleted, and stay "
          + "until somebody expunges them.", exitStatus: .done)
    }
    return (done, nil)
  }
}
