import Foundation
import Ledger
import LocalChanges
import MailCore
import Maildir
import State

/// Mail that no server is known to have: what would be lost with the tree.
package struct OnlyHere: Sendable, Equatable {
  /// Files that are no message of a mailbox that the server has.
  package var messages = 0
  /// All files of messages.
  package var files = 0

  package init() {}
}

extension AccountRun {
  /// Reads the tree and the state, and changes nothing. **Blocks**.
  package func onlyHere() throws -> OnlyHere {
    var found = OnlyHere()
    let tree = try AccountTree.forReading(path: path)
    let statePath = path + "/.mirror/state.db"
    let state =
      FileManager.default.fileExists(atPath: statePath)
      ? try StateStore(path: statePath, durable: false, readOnly: true) : nil
    defer { state?.shut() }
    let records = try state?.mailboxes().filter { !$0.isGone } ?? []
    let folders = try tree.readableFolders(MaildirPolicy(account.sync).layout).folders
    for path in folders {
      var known = Set<UInt64>()
      if let state, let id = records.first(where: { $0.lies(at: path) })?.id {
        try state.forEachName(in: id) { _, name in known.insert(XXH3.hash(Array(name))) }
        known.formUnion(try state.surplus(in: id).map(\.nameHash))
      }
      try FolderScan.forEachFile(in: try MaildirFolder.open(path, in: tree)) { file in
        found.files += 1
        if !known.contains(file.baseHash) { found.messages += 1 }
      }
    }
    // What a person put where no folder of the layout is, and what cannot be looked into.
    let outside = try OutsideFolders.read(tree, besides: folders)
    for path in outside.folders {
      try FolderScan.forEachFile(in: try MaildirFolder.open(path, in: tree)) { _ in
        found.files += 1
        found.messages += 1
      }
    }
    found.messages += outside.others.count
    return found
  }
}
