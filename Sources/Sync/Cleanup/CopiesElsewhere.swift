import Ledger
import MailCore
import Maildir
import State
import SyncPlan

/// After mailboxes were matched anew with the tree: a message whose file was found in another folder counts as one that a
/// person moved there. Where a message of that folder's own mailbox has the file, nothing was moved: a copy lies there, and
/// what was lost with the state is no deletion. The next pull brings the message again.
struct CopiesElsewhere {
  let context: AccountContext

  func release() throws {
    guard !context.isRehearsal else { return }
    // What a revert set aside has its own end.
    let found = try context.state.foundElsewhere().mapValues {
      $0.filter { !$0.traits.contains(.beingReverted) }
    }.filter { !$0.value.isEmpty }
    guard !found.isEmpty else { return }
    let owners = try owners(of: Set(found.values.joined().map { NameHash(of: $0.name) }))
    for (mailbox, messages) in found {
      func isOwned(_ message: MessageRecord, by test: (MailboxKey) -> Bool) -> Bool {
        owners[NameHash(of: message.name)]?.contains(where: test) == true
      }
      let here = messages.filter { isOwned($0) { $0 == mailbox } }
      let copied = messages.filter { !here.contains($0) && isOwned($0) { $0 != mailbox } }
      if !here.isEmpty {
        try context.write {
          try $0.setFoundElsewhere(false, UIDSet(here.map(\.uid)), in: mailbox)
        }
      }
      try AwaitedMessages(context: context).forget(copied.map(\.uid), mailbox)
    }
  }

  /// Mailboxes that have messages of these names, and the files in their own folders.
  private func owners(of names: Set<NameHash>) throws -> [NameHash: [MailboxKey]] {
    var owners: [NameHash: [MailboxKey]] = [:]
    for record in try context.state.mailboxes() where !record.isGone {
      try context.sparing(record.name) {
        let held = try context.state.names(in: record.id, among: names)
        guard !held.isEmpty, let local = try context.folders.local(ofMailbox: record.id) else {
          return
        }
        try FolderScan.forEachFile(in: local.folder) { file in
          let hash = file.baseHash
          if held.contains(hash), owners[hash]?.last != record.id {
            owners[hash, default: []].append(record.id)
          }
        }
      }
    }
    return owners
  }
}
