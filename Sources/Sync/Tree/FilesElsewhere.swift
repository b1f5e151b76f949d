import LocalChanges
import MailCore
import Maildir
import State
import Synchronization

/// Files that lie in other folders than the mailboxes' that they were born in: after a restore, without a state, or in a
/// tree that another machine shares, they may be messages that a person moved. Safe from any thread.
final class FilesElsewhere: Sendable {
  private let tree: AccountTree
  private let layout: LayoutStyle
  private let state: StateStore
  /// While some mailbox is matched anew with the tree: all files of the account.
  private let names: TreeNames?
  /// Else: read when new messages are first to be matched.
  private let read = Mutex<CarriedFiles?>(nil)

  /// Some mailbox is matched anew with the tree.
  var isAdopting: Bool { names != nil }

  /// Nil while some mailbox is matched anew.
  func carried() throws -> CarriedFiles? { names == nil ? try readOnce() : nil }

  /// - Parameter isAdopting: see the property.
  init(tree: AccountTree, layout: LayoutStyle, state: StateStore, isAdopting: Bool) throws {
    self.tree = tree
    self.layout = layout
    self.state = state
    names = isAdopting ? try TreeNames(tree: tree, layout: layout) : nil
  }

  /// Whether a file has this base name; false unless some mailbox is matched anew.
  func contains(_ base: [UInt8]) -> Bool { names?.contains(base) ?? false }

  /// Files that were born in this mailbox under this UIDVALIDITY and now lie in another folder.
  func born(_ mailbox: MailboxName, _ validity: UInt32, except home: FolderPath) throws
    -> [(MessageFile, FolderPath)]
  {
    if let names {
      return try names.files(bornIn: mailbox, UIDValidity(validity), except: home)
    }
    return try readOnce().files(bornIn: mailbox)
  }

  private func readOnce() throws -> CarriedFiles {
    try read.withLock { read in
      let files = try read ?? CarriedFiles(tree: tree, layout: layout, state: state)
      read = files
      return files
    }
  }
}
