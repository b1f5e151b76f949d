import MailCore
import Maildir
import State

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The state of an account, opened, and whether it can be trusted to tell of this tree.
struct OpenedState {
  let store: StateStore
  /// The tree must be adopted: nothing counts as deleted, what is missing is downloaded (DESIGN section 3).
  let isAdopting: Bool
  let notices: [RunProblem]
}

/// Opens state.db, or rebuilds it from its backup, or begins a new one.
struct StateOpening {
  let tree: AccountTree
  let witness: TreeWitness
  let durable: Bool

  private var path: String { tree.control.path + "/state.db" }
  private var backup: String { tree.control.path + "/state.backup.db" }

  func open() throws -> OpenedState {
    var notices: [RunProblem] = []
    if exists(path) {
      do throws(StateError) {
        let store = try StateStore(path: path, durable: durable)
        if let reason = try mismatch(store) {
          notices.append(notice(reason))
          return OpenedState(store: store, isAdopting: true, notices: notices)
        }
        return OpenedState(store: store, isAdopting: false, notices: [])
      } catch {
        guard case .damaged = error else { throw error }
        StateStore.setAside(path)
        notices.append(notice(error.explanation.problem))
      }
    }
    return try rebuild(notices)
  }

  private func rebuild(_ notices: [RunProblem]) throws -> OpenedState {
    var notices = notices
    if exists(backup) {
      do throws(StateError) {
        try copyBackup()
        let store = try StateStore(path: path, durable: durable)
        notices.append(notice("state.db was rebuilt from state.backup.db."))
        return OpenedState(store: store, isAdopting: true, notices: notices)
      } catch {
        guard case .damaged = error else { throw error }
        StateStore.setAside(path)
        notices.append(notice("state.backup.db is damaged, too."))
      }
    }
    let store = try StateStore(path: path, durable: durable)
    let holdsMail = try !tree.folders(.nested).isEmpty || !tree.folders(.maildirPlusPlus).isEmpty
    if holdsMail && notices.isEmpty {
      notices.append(notice("This tree has no state: what it holds is matched with the server."))
    }
    return OpenedState(store: store, isAdopting: holdsMail, notices: notices)
  }

  /// Why the state does not belong to this tree, if it does not: copied, moved, or older than what ran here before.
  private func mismatch(_ store: StateStore) throws(StateError) -> String? {
    guard let token = try store.fact(Fact.tree) else {
      return "The last adoption of this tree did not end."
    }
    if token != tree.tokenText {
      return "The tree was moved, copied, or restored: it is matched with the server anew."
    }
    let runs = try store.fact(Fact.runs).flatMap { Int64($0) } ?? 0
    if let seen = witness.read()?.runs, seen > runs {
      return
        "The state is older than the last run here: it was restored, and the tree is matched with the server anew."
    }
    return nil
  }

  private func copyBackup() throws(StateError) {
    let temporary = path + ".tmp"
    let source = try StateStore(path: backup, durable: false, readOnly: true)
    defer { source.shut() }
    try source.backUp(to: temporary, durable: durable)
    guard rename(temporary, path) == 0 else {
      throw .failed("\(path): \(String(cString: strerror(errno)))")
    }
  }

  private func notice(_ text: String) -> RunProblem {
    RunProblem(problem: text, remedy: nil, exitStatus: .done)
  }

  private func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}

/// Names of the state's facts.
enum Fact {
  /// The tree token of the tree that the state tells of.
  static let tree = "tree"
  /// How many runs changed the state.
  static let runs = "runs"
}

extension AccountTree {
  var tokenText: String { (try? identity().text) ?? "unknown" }
}
