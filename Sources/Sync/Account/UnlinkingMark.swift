import State

/// Stands in the state from before the first file of expunged messages is unlinked until all that were to go have gone.
/// Where it is found, an earlier run was cut off in between: of a message whose file is missing, that run may have
/// unlinked it, and what looks like it was put back since.
final class UnlinkingMark {
  private let state: StateStore
  /// An earlier run left it.
  let wasCut: Bool
  private var isSet: Bool

  init(_ state: StateStore) throws(StateError) {
    self.state = state
    wasCut = try state.fact(Fact.unlinking) != nil
    isSet = wasCut
  }

  func set() throws(StateError) {
    guard !isSet else { return }
    try state.setFact(Fact.unlinking, "1")
    isSet = true
  }

  func remove() throws(StateError) {
    guard isSet else { return }
    try state.removeFact(Fact.unlinking)
    isSet = false
  }
}
