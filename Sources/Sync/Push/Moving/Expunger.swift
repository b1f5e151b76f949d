import IMAPWire
import MailCore

/// How messages leave a mailbox after they were copied on, or replaced; chosen once for a connection (``Dialect``).
protocol RemovalWay {
  /// - Parameter uids: of the open mailbox.
  /// - Returns: those that are gone, and the refusal.
  func remove(_ uids: UIDSet, in mailbox: Int64) throws -> (done: UIDSet, refusal: TaggedResult?)
}

/// Expunges exactly the messages that are named. Where the server cannot do that, they are marked \Deleted, which is
/// said.
struct Expunger: RemovalWay, PushPart {
  let desk: PushDesk

  func remove(_ uids: UIDSet, in mailbox: Int64) throws -> (done: UIDSet, refusal: TaggedResult?) {
    var done = UIDSet()
    var marked = 0
    for chunk in uids.chunks(textLength: remote.session.maximumCommandLength - 200) {
      let there = try remote.nameable(chunk)
      guard !there.isEmpty else {
        done = done.union(chunk)
        continue
      }
      let mark = try remote.run([try .uidStore(there, .add, flags: .deleted)])
      guard let answer = mark.results[0] else { throw IMAPError.sessionOver }
      guard answer.isOK else { return (done, answer) }
      marked += there.count
      guard remote.canExpunge else {
        done = done.union(chunk)
        continue
      }
      let expunged = try remote.run([.uidExpunge(chunk), .uidSearch(.uids(chunk))])
      guard let result = expunged.results[0] else { throw IMAPError.sessionOver }
      guard result.isOK else { return (done, result) }
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
