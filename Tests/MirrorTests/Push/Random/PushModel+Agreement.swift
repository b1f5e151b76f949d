extension PushModel {
  /// Both sides were brought together.
  mutating func agree() {
    for token in tokens {
      guard var message = messages[token] else { continue }
      let merged = message.remote.union(message.local.subtracting(message.agreed))
        .subtracting(message.agreed.subtracting(message.local))
      (message.remote, message.local, message.agreed) = (merged, merged, merged)
      message.origin = message.place
      (message.placeThere, message.isMovedHere) = (nil, false)
      message.round = Round()
      messages[token] = message
    }
    for token in draftTokens {
      guard var draft = drafts[token], draft.versions.isEmpty else { continue }
      let isEdited = draft.local != draft.agreed
      if isEdited, let local = draft.local, let remote = draft.remote, draft.remote != draft.agreed
      {
        draft.versions = [local, remote].sorted()  // kept twice
      } else {
        // An edited draft wins over a deletion.
        let version = isEdited ? draft.local : draft.remote
        draft.wasReplaced = draft.wasReplaced || version != draft.agreed
        (draft.agreed, draft.local, draft.remote) = (version, version, version)
      }
      draft.round = Round()
      drafts[token] = draft
    }
    mailboxes = Array(Set(mailboxes).union(folders)).sorted()
    folders = mailboxes
    isBusy = themes.contains(.watched)
    (wasBusy, wasCut) = (isBusy, false)
    renumbered = []
    isUnsettled = false
    shuffled = []
    agreeOnMachine()
    agreeOnCopy()
  }

  /// Where a message ought to be, sorted.
  func places(of token: String) -> [String] {
    guard let message = messages[token], let place = message.place else { return [] }
    return ([place] + message.copies).sorted()
  }

  /// The versions of a draft that ought to be there, sorted.
  func versions(of token: String) -> [Int] {
    guard let draft = drafts[token] else { return [] }
    return draft.versions.isEmpty ? draft.agreed.map { [$0] } ?? [] : draft.versions
  }

  /// Messages of the server.
  var count: Int {
    tokens.reduce(0) { $0 + places(of: $1).count }
      + draftTokens.reduce(0) { $0 + versions(of: $1).count }
  }

  /// Messages that the server has and the tree does not.
  var heldCount: Int { messages.values.count(where: \.isHeld) }
}
