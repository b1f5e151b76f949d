import Ledger
import LocalChanges
import MailCore
import State

/// Whether the server has a message in another mailbox, too, and its file there is here.
final class OtherPlace {
  private let context: AccountContext
  private var opened: [Int64: LocalFolder] = [:]

  init(_ context: AccountContext) { self.context = context }

  /// - Parameter mailbox: the one that is not meant.
  func holds(contentHash: UInt64, headerHash: UInt64, besides mailbox: Int64) throws -> Bool {
    try context.state.copies(ofContent: contentHash).contains { copy in
      guard copy.mailbox != mailbox, !copy.message.name.isEmpty,
        copy.message.headerHash == headerHash,
        copy.message.traits.isDisjoint(with: [.outOfView, .differs]),
        let folder = try folder(of: copy.mailbox)
      else { return false }
      return try folder.locate(copy.message.name, lastFlags: copy.message.agreed.flags) != nil
    }
  }

  private func folder(of mailbox: Int64) throws -> LocalFolder? {
    if let folder = opened[mailbox] { return folder }
    let folder = try context.folders.local(ofMailbox: mailbox)
    // Each holds directories open.
    if opened.count >= Self.most { opened = [:] }
    opened[mailbox] = folder
    return folder
  }

  private static let most = 16
}
