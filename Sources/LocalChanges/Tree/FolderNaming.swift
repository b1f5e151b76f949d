import Foundation
import Ledger
import MailCore
import Maildir
import Settings
import State
import SyncPlan

/// What a push makes of folders that are no mailbox's.
package struct FolderNaming {
  let tree: AccountTree
  let layout: Maildir.FolderLayout
  let folders: FolderPatterns
  let prefix: NamePrefix
  private let delimiter: Character?
  private let taken: Set<FolderPath>
  private let views: ViewNames?

  /// - Parameter mailboxes: those that may have folders.
  package init(
    tree: AccountTree, policy: MaildirPolicy, folders: FolderPatterns, mailboxes: [MailboxRecord],
    state: StateStore
  ) throws {
    self.tree = tree
    self.folders = folders
    let account = try state.account()
    prefix = NamePrefix(stored: account.namePrefix)
    views = account.views
    layout = try tree.layout(policy)
    delimiter = mailboxes.lazy.compactMap { $0.delimiter?.first }.first
    taken = Set(mailboxes.map(\.folder))
  }

  /// The mailbox that it would become (INBOX, too, which has its folder already), as this program spells names on the
  /// server; nil where it may not.
  package func name(_ path: FolderPath) -> String? {
    guard !taken.contains(path) else { return nil }
    let sideName = try? MaildirFolder.open(path, in: tree).sideName
    let name =
      layout.mailbox(at: path, delimiter: delimiter, sideName: sideName)
      ?? layout.literalName(path, delimiter: delimiter)
    guard let name else { return nil }
    let full = prefix.full(name)
    // What is left out under the one name or the other stays here.
    guard folders.matches(name), MailboxCatalogue.isMirrored(full, besides: views, folders) else {
      return nil
    }
    return full.text.precomposedStringWithCanonicalMapping
  }

  /// Whether anything lies where the mailbox has its folder: also what is no whole Maildir now keeps its place.
  package func hasFolder(_ record: MailboxRecord) -> Bool {
    (try? tree.holds(record.folder)) ?? true
  }
}
