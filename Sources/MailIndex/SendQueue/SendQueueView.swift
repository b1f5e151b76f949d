import GRDB
import Maildir
import Queue

/// Keeps the view `send_queue` in step with the queue's files, which are the truth: a short
/// transaction of its own, beside an update that may be under way.
package enum SendQueueView {
  /// Shows the queue of one account as its files have it now. Nothing happens where there is no
  /// index, or one that the next update makes anew.
  ///
  /// - Parameter account: its directory's name below the root.
  /// - Throws: ``IndexError/failed(_:)`` with the file system's words where the queue cannot be read.
  package static func refresh(root: String, account: String) throws(IndexError) {
    do throws(IndexError) {
      _ = try IndexReader.open(root: root)
    } catch {
      switch error {
      case .missing, .otherVersion, .damaged: return
      default: throw error
      }
    }
    let store = try IndexStore.openAsItIs(root: root)
    defer { try? store.queue.close() }
    do {
      try follow(root: root, account: account, store)
    } catch let error as MaildirError {
      throw .failed(error.explanation.problem)
    } catch {
      throw IndexError(error)
    }
  }

  /// The files are read under the lock: else somebody who read them earlier could write what they said later.
  ///
  /// - Throws: `MaildirError` where the queue cannot be read.
  static func follow(root: String, account: String, _ store: IndexStore) throws {
    try store.queue.writeWithoutTransaction { db in
      try store.clock.run(db) { db in
        let entries = try rows(root: root, account: account)
        try SendQueueRows.replace(account: account, with: entries, db)
      }
    }
  }

  private static func rows(root: String, account: String) throws(MaildirError) -> [SendQueueRow] {
    try OutboxReader.entries(account: root + "/" + account).map { entry in
      SendQueueRow(
        id: entry.id.text, messageID: entry.envelope?.messageID, subject: entry.envelope?.subject,
        queued: entry.queuedSeconds, state: entry.state.rawValue, attempts: entry.phase.attempts,
        nextAttempt: entry.nextAttemptSeconds, error: entry.error,
        recipients: entry.recipientsJSON)
    }
  }
}
