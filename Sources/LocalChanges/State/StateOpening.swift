import Ledger
import MailCore
import Maildir
import State
import SyncPlan

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The state of an account, opened; mailboxes whose records may not match the tree are marked.
package struct OpenedState {
  package let store: StateStore
  package let notices: [RunProblem]
}

/// Opens state.db, or rebuilds it from its backup, or begins a new one.
package struct StateOpening {
  let tree: AccountTree
  let witness: TreeWitness
  let durable: Bool

  package init(tree: AccountTree, witness: TreeWitness, durable: Bool) {
    self.tree = tree
    self.witness = witness
    self.durable = durable
  }

  private var path: String { tree.control.path + "/state.db" }
  private var backup: String { tree.control.path + "/state.backup.db" }

  package func open() throws -> OpenedState {
    var notices: [RunProblem] = []
    if exists(path) {
      do {
        let store = try readable(StateStore(path: path, durable: durable))
        if try isUnbegun(store) { return try begin(store, notices) }
        if let reason = try mismatch(store) {
          try RestoreMark.leave(in: tree)
          try beginAdoption(store)
          notices.append(notice(reason))
        }
        return OpenedState(store: store, notices: notices)
      } catch let error as StateError {
        guard case .damaged = error else { throw error }
        try RestoreMark.leave(in: tree)
        StateStore.setAside(path)
        notices.append(notice(error.explanation.problem))
      }
    }
    return try rebuild(notices)
  }

  /// - Throws: `damaged` where what it says of mailboxes cannot be: here it can still be made anew.
  private func readable(_ store: StateStore) throws(StateError) -> StateStore {
    _ = try store.mailboxes()
    return store
  }

  private func rebuild(_ notices: [RunProblem]) throws -> OpenedState {
    var notices = notices
    if exists(backup) || (witness.read()?.runs ?? 0) > 0 { try RestoreMark.leave(in: tree) }
    if exists(backup) {
      do throws(StateError) {
        try copyBackup()
        let store = try readable(StateStore(path: path, durable: durable))
        notices.append(notice("state.db was rebuilt from state.backup.db."))
        return OpenedState(store: store, notices: notices)
      } catch {
        guard case .damaged = error else { throw error }
        StateStore.setAside(path)
        notices.append(notice("state.backup.db is damaged, too."))
      }
    }
    return try begin(StateStore(path: path, durable: durable), notices)
  }

  /// A new state, over a tree that may hold mail.
  private func begin(_ store: StateStore, _ notices: [RunProblem]) throws -> OpenedState {
    var notices = notices
    let holdsMail = try !tree.folders(.nested).isEmpty || !tree.folders(.maildirPlusPlus).isEmpty
    // Mailboxes get their records one by one, perhaps over several runs: each is adopted then.
    try beginAdoption(store, adoptsNewMailboxes: holdsMail)
    if holdsMail && notices.isEmpty {
      notices.append(notice("This tree has no state: what it holds is matched with the server."))
    }
    return OpenedState(store: store, notices: notices)
  }

  /// The same for a dry run, on a copy.
  ///
  /// - Parameter withoutState: it turned out to be damaged.
  package func rehearse(withoutState: Bool) throws -> OpenedState {
    var notices: [RunProblem] = []
    for file in [path, backup] where exists(file) && !(withoutState && file == path) {
      do {
        let store = try readable(StateStore(rehearsing: file))
        if try isUnbegun(store) { return try begin(store, notices) }
        if file == backup {
          notices.append(notice("state.db would be rebuilt from state.backup.db."))
          try beginAdoption(store)
        } else if let reason = try mismatch(store) {
          notices.append(notice(reason))
          try beginAdoption(store)
        }
        return OpenedState(store: store, notices: notices)
      } catch let error as StateError {
        guard case .damaged = error else { throw error }
        notices.append(notice(error.explanation.problem))
      }
    }
    return try begin(StateStore(rehearsing: nil), notices)
  }

  /// A run died after it had made the tables and before it had said whose they are: this state knows of nothing yet.
  func isUnbegun(_ store: StateStore) throws(StateError) -> Bool {
    try store.account().tree == nil
  }

  /// For those who only look: whether a run would match the tree anew before it did anything else.
  package func needsMatching(_ store: StateStore) throws(StateError) -> Bool {
    if try isUnbegun(store) { return true }
    return try mismatch(store) != nil
  }

  /// Why the state does not belong to this tree, if it does not: copied, moved, or older than what ran here before.
  func mismatch(_ store: StateStore) throws(StateError) -> String? {
    let account = try store.account()
    guard let known = account.tree.flatMap({ TreeIdentity(text: $0) }),
      let identity = try? tree.identity(), identity.isSameTree(as: known)
    else {
      return "The tree was moved, copied, or restored: it is matched with the server anew."
    }
    if let seen = witness.read()?.runs, seen > account.runs {
      return
        "The state is older than the last run here: it was restored, and the tree is matched with the server anew."
    }
    return nil
  }

  private func beginAdoption(_ store: StateStore, adoptsNewMailboxes: Bool = false)
    throws(StateError)
  {
    try store.beginAdoption { account in
      account.tree = (try? tree.identity().text) ?? ""
      account.runs = max(account.runs, witness.read()?.runs ?? 0)
      account.generation += 1
      if adoptsNewMailboxes { account.adoptsNewMailboxes = true }
    }
  }

  /// What is put in the state's place is marked for adoption before it gets the name.
  private func copyBackup() throws(StateError) {
    let temporary = path + ".tmp"
    let source = try StateStore(path: backup, durable: false, readOnly: true)
    defer { source.shut() }
    try source.backUp(to: temporary, durable: durable)
    let copy = try StateStore(path: temporary, durable: durable)
    try beginAdoption(copy)
    copy.shut()
    guard rename(temporary, path) == 0 else {
      throw .failed("\(path): \(String(cString: strerror(errno)))")
    }
  }

  private func notice(_ text: String) -> RunProblem {
    RunProblem(problem: text, remedy: nil, exitStatus: .done)
  }

  private func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
