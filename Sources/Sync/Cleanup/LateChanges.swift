import MailCore
import State

/// What the server said of files that were not there: a person may have brought them back, or moved them.
struct LateChanges {
  let folder: CleanedFolder

  /// - Returns: how many files were touched.
  func apply() throws -> Int {
    let waiting = try folder.context.state.unapplied(in: folder.mailbox.id).compactMap { record in
      record.unappliedRemote.map { MarkDelivery.Change(record: record, remote: $0) }
    }
    let outcome = try MarkDelivery(context: folder.context, home: folder.local).bring(waiting)
    guard !outcome.applied.isEmpty else { return 0 }
    try folder.write(outcome.applied) { _ in }
    return outcome.touched
  }
}
