import Ledger
import LocalChanges
import MailCore
import Maildir
import State

/// Whether the server has a message in another mailbox, too, and its file there is here.
final class OtherPlace {
  private let context: AccountContext
  private var opened: [MailboxKey: LocalFolder] = [:]
  /// By the hash of the header; read when they are first needed.
  private var stubs: [HeaderHash: [PlacedMessage]]?

  init(_ context: AccountContext) { self.context = context }

  /// - Parameters:
  ///   - mailbox: the one that is not meant, where there is one.
  ///   - countsStubs: it is also there where it came without its large parts. Then the file may be the only whole one here.
  func holds(_ digest: MessageDigest, besides mailbox: MailboxKey?, countsStubs: Bool) throws
    -> Bool
  {
    let copies = try context.state.copies(ofContent: digest.contentHash).filter {
      $0.message.headerHash == digest.headerHash
    }
    let stubs =
      try countsStubs ? stubs(digest.headerHash).filter { $0.message.isOtherForm(digest) } : []
    return try (copies + stubs).contains { place, message in
      guard place != mailbox, !message.name.isEmpty,
        message.traits.isDisjoint(with: [.outOfView, .differs, .expunged]),
        let folder = try folder(of: place)
      else { return false }
      return try folder.file(of: message) != nil
    }
  }

  /// Whether its file is gone from its own folder.
  func lacksFile(_ message: MessageRecord, in mailbox: MailboxKey) throws -> Bool {
    try folder(of: mailbox)?.file(of: message) == nil
  }

  private func stubs(_ headerHash: HeaderHash) throws -> [PlacedMessage] {
    let known =
      try stubs ?? Dictionary(grouping: context.state.onDemand(.stub), by: \.message.headerHash)
    stubs = known
    return known[headerHash] ?? []
  }

  private func folder(of mailbox: MailboxKey) throws -> LocalFolder? {
    if let folder = opened[mailbox] { return folder }
    let folder = try context.folders.local(ofMailbox: mailbox)
    // Each holds directories open.
    if opened.count >= Self.most { opened = [:] }
    opened[mailbox] = folder
    return folder
  }

  private static let most = 16
}
