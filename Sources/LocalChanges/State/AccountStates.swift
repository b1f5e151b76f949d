import Foundation
import Ledger
import State

/// What all accounts of a tree know of their messages.
package struct AccountStates {
  /// The tree's.
  package let root: String
  /// This account.
  package let account: String
  /// Those that the configuration has.
  package let others: [String]

  package init(root: String, account: String, others: [String]) {
    self.root = root
    self.account = account
    self.others = others
  }

  /// The state of another account, for reading; nil where there is none that can be opened.
  package func state(of name: String) -> StateStore? {
    let path = root + "/" + name + "/.mirror/state.db"
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    return try? StateStore(path: path, durable: false, readOnly: true)
  }

  /// Messages of all accounts, but those that are not kept here.
  ///
  /// - Parameter own: the state of this account.
  /// - Returns: false where another account's state could not be read.
  package func forEachMessage(
    _ own: StateStore, _ body: (_ account: String, MessageRecord) -> Void
  ) throws -> Bool {
    try look(into: own, of: account, body)
    var areAllRead = true
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    for name in Set(names + others) where name != account {
      do {
        guard let state = state(of: name) else { continue }
        defer { state.shut() }
        try look(into: state, of: name, body)
      } catch {
        areAllRead = false
      }
    }
    return areAllRead
  }

  private func look(
    into state: StateStore, of account: String, _ body: (String, MessageRecord) -> Void
  ) throws {
    for mailbox in try state.mailboxes() {
      try state.forEachMessage(in: mailbox.id) { record in
        if !record.isPruned { body(account, record) }
      }
    }
  }
}
