import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// One message, one file in one folder (promise 6). Where machines share a tree, each brings a message's file under the
/// name that it gave it, or with the flags that a person set there. These become one file, before a push takes one of
/// them for the message and the other for a new one.
///
/// Every machine keeps the same file, or each would remove the other's: ``OneFile`` chooses by what all of them know.
struct RepeatedMessages {
  let context: AccountContext

  /// - Returns: whether the tree is to be looked at again.
  func join(_ repeated: [RepeatedMessage]) throws -> Bool {
    guard !repeated.isEmpty, !context.isRehearsal else { return false }
    // A step under way may be about either file.
    let busy = Set(
      try context.state.pushSteps().filter { $0.kind != .copied }.flatMap {
        [$0.source, $0.target]
      })
    let mailboxes = try context.state.mailboxes()
    var hasJoined = false
    for (id, messages) in Dictionary(grouping: repeated, by: \.mailbox).sorted(by: {
      $0.key < $1.key
    }) where !busy.contains(id) {
      // What a pull left half way may be another message of the same content.
      guard let mailbox = mailboxes.first(where: { $0.id == id }), !mailbox.isGone,
        mailbox.isSettled, mailbox.uidValidity != 0
      else { continue }
      try context.sparing(mailbox.name) {
        guard let folder = try CleanedFolder(context: context, mailbox: mailbox) else { return }
        if try join(messages, in: folder) { hasJoined = true }
      }
    }
    return hasJoined
  }

  /// The state names the file that stays before another goes: whenever a run is cut off, at least one is there, and what
  /// is left of the others is found again.
  private func join(_ messages: [RepeatedMessage], in folder: CleanedFolder) throws -> Bool {
    let scan = try FolderScan.read(folder.local.folder)
    guard !scan.isRaced else { return false }
    var files: [OneFile] = []
    for message in messages {
      try context.checkInterrupt()
      do {
        if let file = try OneFile(message, scan, in: folder) { files.append(file) }
      } catch let error as MaildirError where !error.stopsRun {
        continue  // A reader is at work on it, or it cannot be read.
      }
    }
    guard !files.isEmpty else { return false }
    try folder.local.sync()
    try context.state.transaction { transaction in
      for file in files {
        try transaction.put(file.record, in: folder.mailboxID)
        try transaction.removeSurplus(
          nameHash: XXH3.hash(file.record.name), from: folder.mailboxID)
      }
    }
    context.noteChange()
    let now = try FolderScan.read(folder.local.folder)
    var gone: [UInt64] = []
    for file in files where !now.isRaced { gone += try file.removeOthers(now, in: folder) }
    try folder.local.sync()
    try context.state.transaction { transaction in
      for name in gone { try transaction.removeSurplus(nameHash: name, from: folder.mailboxID) }
    }
    return true
  }
}
