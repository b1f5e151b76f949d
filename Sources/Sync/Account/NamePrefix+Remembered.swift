import IMAPClient
import Ledger
import State
import SyncPlan

extension NamePrefix {
  init(_ session: IMAPSession) { self.init(session.namespaces) }

  /// As the server told it last.
  init(_ state: StateStore) throws(StateError) {
    self.init(stored: try state.account().namePrefix)
  }

  func remember(_ context: AccountContext) throws {
    guard try self != NamePrefix(context.state) else { return }
    try context.state.changeAccount { $0.namePrefix = stored }
    context.noteChange()
  }
}
