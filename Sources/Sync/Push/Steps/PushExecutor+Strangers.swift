import IMAPClient
import MailCore
import State

extension PushExecutor {
  /// Where UIDs may mean other messages than they did (``Quirk/unstableUIDs``), a message is looked at before it is
  /// deleted: one with another header is another. The next pull brings it, and what was meant can be deleted then.
  func withoutStrangers(_ batch: [MessageRecord], in mailbox: Int64) throws -> [MessageRecord] {
    guard remote.session.quirks.contains(.unstableUIDs), !batch.isEmpty, try open(mailbox) else {
      return batch
    }
    let headers = try remote.hashes(
      of: UIDSet(batch.map(\.uid)), whole: false, labelName: policy.keywords.line?.name)
    let strangers = batch.filter { record in
      record.headerHash != 0 && headers[record.uid].map { $0 != record.headerHash } == true
    }
    guard !strangers.isEmpty else { return batch }
    for record in strangers { try leaveToPull(record.uid, in: mailbox) }
    context.note(
      RunProblem(
        mailbox: name(mailbox),
        problem:
          "\(strangers.count) messages that were deleted here are others on the server by now: "
          + "nothing was deleted there.", remedy: "The next pull brings them."))
    let others = Set(strangers.map(\.uid))
    return batch.filter { !others.contains($0.uid) }
  }

  /// Forgotten here, so that the next pull brings what the server has.
  func leaveToPull(_ uid: UID, in mailbox: Int64) throws {
    try state.transaction { try $0.remove(uid, from: mailbox) }
    try listAgain(mailbox)
  }
}
