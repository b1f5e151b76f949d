import Maildir

/// What servers and tree agree on of the files that a command means; each account's state is read once.
final class AgreedFiles {
  private let tree: SortingTree
  /// The base names of an account's files that are meant.
  private let bases: [String: [[UInt8]]]
  private var states: [String: AgreedState?] = [:]

  init(_ tree: SortingTree, _ files: [ChosenFile]) {
    self.tree = tree
    bases = Dictionary(grouping: files, by: \.account).mapValues { $0.map(\.file.base) }
  }

  enum Place {
    case here(AgreedMessage)
    /// No push carried it here yet: in these folders its message is known.
    case elsewhere([AgreedMessage])
    /// No server knows it.
    case nowhere
  }

  func place(of file: ChosenFile) throws -> Place {
    guard let state = try state(file.account) else { return .nowhere }
    if let message = state.message(file.file.base, in: file.folder.text) { return .here(message) }
    let others = state.messages(file.file.base)
    return others.isEmpty ? .nowhere : .elsewhere(others)
  }

  private func state(_ account: String) throws -> AgreedState? {
    if let known = states[account] { return known }
    let state = try AgreedState(account, tree)
    try state?.learn(bases[account] ?? [])
    states[account] = .some(state)
    return state
  }
}
