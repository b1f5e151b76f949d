/// What the machines know of the account: the one that the person sits at, and the other.
struct PushMachines {
  struct Machine {
    /// Where each message was when it last synced.
    var known: [String: String] = [:]
    var knownMarks: [String: Set<String>] = [:]
    var knownDrafts: [String: Int] = [:]
    /// Nothing waits there for a push.
    var isClean = true
  }

  var number = 0
  var all = [Machine(), Machine()]
  /// The tree came from the other machine, and nothing ran since.
  var isCarried = false
  /// Nothing happened since the last sync.
  var isResting = false
  /// Both directions come next.
  var mustSync = false

  var other: Machine { all[1 - number] }
}

extension PushModel {
  /// A machine knows only what it synced last. What came with the tree it can tell from changes of the reader's as long
  /// as the server's side stands still, and nothing is taken away.
  func allowsCarried(_ event: PushEvent) -> Bool {
    if machines.mustSync { return event == .sync }
    guard machines.isCarried else { return true }
    switch event {
    case .sync, .cut, .deliver, .write, .makeFolder: return true
    // Taken away on the server, and set again here: to this machine, nothing happened.
    case .mark(let token, let mark, let sets):
      return sets
        && machines.all[machines.number].knownMarks[token]?.contains(mark.lowercased()) != true
    case .move(let token, _): return messages[token]?.isUnchanged == true
    default: return false
    }
  }

  func allowsMachine(_ event: PushEvent) -> Bool {
    guard renumbered.isEmpty, heldCount == 0, olderCopy == nil else { return false }
    switch event {
    case .changeMachine: return machines.isResting && machines.other.isClean
    case .carry(let isWhole):
      if isWhole || machines.isResting { return machines.isResting }
      return folders.allSatisfy { mailboxes.contains($0) } && tokens.allSatisfy { isPortable($0) }
        && draftTokens.allSatisfy { isPortableDraft($0) }
    default: return false
    }
  }

  private func isPortable(_ token: String) -> Bool {
    guard let message = messages[token] else { return true }
    let known = machines.other.known[token]
    guard !message.round.wasPlacedThere, message.remote == message.agreed,
      message.local.isSuperset(of: message.agreed)
    else { return false }
    // A saved file says nothing of where its message was: one that the other machine knows has to be there still. What was
    // written here may be a person's copy.
    if message.round.wasSaved, known == nil { return !message.wasWritten }
    if message.round.wasRemovedHere || message.round.wasSaved || message.round.wasCopied {
      return known != nil && known == message.origin
    }
    return true
  }

  private func isPortableDraft(_ token: String) -> Bool {
    guard let draft = drafts[token] else { return true }
    guard draft.remote == draft.agreed else { return false }
    // Each machine has a file of its own name for what replaced a draft: carried, that is a new one, and the other's goes
    // to the Trash.
    return draft.local == draft.agreed
      || !draft.wasReplaced && machines.other.knownDrafts[token] == draft.agreed
  }

  mutating func noteMachine(_ event: PushEvent) {
    machines.all[machines.number].isClean = machines.isResting
    if event == .carry(whole: true) {
      machines.all[1 - machines.number] = machines.all[machines.number]
    }
    machines.number = 1 - machines.number
    machines.isCarried = event == .carry(whole: false)
    machines.mustSync = !machines.isCarried
    isUnsettled = true
  }

  mutating func agreeOnMachine() {
    machines.all[machines.number] = PushMachines.Machine(
      known: messages.compactMapValues(\.place), knownMarks: messages.mapValues(\.agreed),
      knownDrafts: drafts.compactMapValues(\.agreed))
    (machines.isCarried, machines.mustSync, machines.isResting) = (false, false, true)
  }
}
