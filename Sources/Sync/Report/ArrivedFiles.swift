import Ledger
import MailCore
import Maildir
import State
import SyncPlan

/// Where a message that a pull brought lies now.
package struct ArrivedFile: Sendable {
  /// As the server calls it.
  package let mailbox: String
  /// Below the account's directory.
  package let folder: FolderPath
  package let file: MessageFile
}

extension AccountRun {
  /// The files of a pull's new messages, INBOX first; those that a reader has moved or removed since are left out.
  /// Waits for no run and changes nothing. Blocks.
  ///
  /// - Parameters:
  ///   - summary: of a pull that was to tell arrivals.
  ///   - newsOnly: nothing of an account's very first pull.
  package func forEachArrival(
    of summary: PullSummary, newsOnly: Bool, _ body: (ArrivedFile) throws -> Void
  ) throws {
    let outcomes = summary.mailboxes.filter { !$0.arrived.isEmpty && !(newsOnly && $0.isFirst) }
    guard !outcomes.isEmpty else { return }
    let tree = try AccountTree.openExisting(path: path)
    let state = try StateStore(
      path: tree.control.path + "/state.db", durable: false, readOnly: true)
    defer { state.shut() }
    let folders = AccountFolders(
      tree: tree, policy: MaildirPolicy(account.sync), state: state, isRehearsal: false)
    let records = try state.mailboxes().sorted { $0.mailboxName.order < $1.mailboxName.order }
    for record in records {
      let id = record.id
      guard let outcome = outcomes.first(where: { $0.mailbox == record.name }),
        let folder = try folders.local(ofMailbox: id)
      else { continue }
      for uid in outcome.arrived.uids {
        guard let message = try state.message(in: id, uid),
          let file = try folder.file(of: message)
        else { continue }
        try body(ArrivedFile(mailbox: record.name, folder: folder.path, file: file))
      }
    }
  }
}
