import CLISupport
import LocalChanges
import MailCore
import MailIndex
import Maildir
import Outbox
import Queue
import Settings
import Sync

/// The queues of the accounts that a command is about.
struct QueuedMessages {
  let root: String
  let accounts: [AccountSettings]

  struct Message {
    var account: AccountSettings
    var entry: QueueEntry
  }

  /// - Parameter account: by name; nil: all.
  init(_ configuration: Configuration, account: String?) throws {
    root = configuration.root
    accounts = try configuration.select(account.map { [$0] } ?? []).map(\.settings)
  }

  /// Account by account, oldest first.
  func all() throws -> [Message] {
    try accounts.flatMap { account in
      try OutboxReader.entries(account: root + "/" + account.name).map {
        Message(account: account, entry: $0)
      }
    }
  }

  /// Accounts whose tree is not mounted, so that nobody can tell what is queued there.
  var vanished: [OutboxSummary] {
    accounts.compactMap {
      OutboxSummary(ifVanished: TreePast(root: root, account: $0.name), account: $0.name)
    }
  }

  /// Each by its id, or the start of it.
  func matching(_ texts: [String]) throws -> [Message] {
    let all = try all()
    var found: [Message] = []
    for text in texts {
      let matches = text.isEmpty ? [] : all.filter { $0.entry.id.text.hasPrefix(text) }
      guard let message = matches.first else { throw QueueError.noSuchEntry(text) }
      guard matches.count == 1 else {
        throw QueueError.ambiguous(text, matches.map(\.entry.id))
      }
      if !found.contains(where: { $0.entry.id == message.entry.id }) { found.append(message) }
    }
    return found
  }

  /// - Parameter rehearses: changes are looked at, and not made.
  func outbox(of account: AccountSettings, rehearses: Bool = false) throws -> Outbox {
    let tree = try AccountTree.openExisting(path: root + "/" + account.name)
    guard let outbox = try Outbox.open(in: tree, rehearses: rehearses) else {
      throw QueueError.noSuchEntry("")
    }
    return outbox
  }

  /// Lets the index's view follow; the files are the truth, so a failure costs nothing.
  func tellIndex(_ account: AccountSettings) {
    try? SendQueueView.refresh(root: root, account: account.name)
  }
}

extension QueueEntry {
  /// What was sent leaves the list, once nothing about it is left to say.
  var isDone: Bool { state == .sent && !phase.hasRefusals }
}
