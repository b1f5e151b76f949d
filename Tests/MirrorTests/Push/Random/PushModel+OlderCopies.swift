/// A folder's copy that was put aside, as `cp -a` makes it.
struct OlderCopy {
  let folder: String
  /// Each message's marks then.
  var messages: [String: Set<String>]
  /// It is where the folder was, and no run has looked at it yet.
  var isFresh = false
  var wasPutBack = false
}

extension PushModel {
  /// Until a run has looked at a folder that was put back, what is gone from it may be the copy's doing.
  func allowsBesideOlderCopy(_ event: PushEvent) -> Bool {
    guard let copy = olderCopy, copy.isFresh else { return true }
    switch event {
    case .sync: return true
    case .deliver(_, let mailbox, _): return mailbox != copy.folder
    case .write(_, let folder): return folder != copy.folder
    default: return false
    }
  }

  func allowsOfCopies(_ event: PushEvent) -> Bool {
    switch event {
    case .keepCopy(let folder):
      // Its own messages only, none that lies in two folders.
      return olderCopy == nil && machines.isResting && folder != draftBox
        && folders.contains(folder)
        && !messages.values.contains { $0.isSettled && places(of: $0).contains(folder) }
        && !drafts.values.contains { $0.place == folder }
    case .putBack(let folder):
      guard let copy = olderCopy, copy.folder == folder, !copy.wasPutBack else { return false }
      return machines.isResting && folders.contains(folder)
        && !messages.values.contains { $0.isSettled && places(of: $0).contains(folder) }
        && !drafts.values.contains { $0.place == folder }
        && copy.messages.keys.allSatisfy { messages[$0]?.isSettled == false }
    case .bringBack(let folder):
      return olderCopy?.folder == folder && machines.isResting && heldCount > 0
    case .confirm: return machines.isResting && heldCount > 0
    default: return false
    }
  }

  private func places(of message: Message) -> [String] {
    [message.place].compactMap { $0 } + message.copies
  }

  mutating func noteCopies(_ event: PushEvent) {
    switch event {
    case .keepCopy(let folder):
      let there = messages.filter { $0.value.place == folder }
      olderCopy = OlderCopy(folder: folder, messages: there.mapValues(\.local))
    case .putBack: putBack()
    case .bringBack: for token in tokens { messages[token]?.isHeld = false }
    case .confirm:
      for token in tokens where messages[token]?.isHeld == true {
        let place = messages[token]?.place == trash ? nil : trash
        messages[token]?.isHeld = false
        messages[token]?.place = place
        messages[token]?.origin = place
      }
    default: break
    }
  }

  private mutating func putBack() {
    guard var copy = olderCopy else { return }
    for token in tokens {
      guard var message = messages[token] else { continue }
      let marks = copy.messages[token]
      if message.place == copy.folder {
        // What the copy has not, is held; what it has, is as it was.
        if let marks { message.local = marks } else { message.isHeld = true }
      } else if let marks {
        if message.place == nil {
          (message.place, message.origin, message.round.isNewHere) = (copy.folder, nil, true)
          (message.local, message.remote, message.agreed) = (marks, marks, marks)
        } else {
          message.copies.append(copy.folder)
        }
      }
      messages[token] = message
    }
    isUnsettled = true
    (copy.isFresh, copy.wasPutBack) = (true, true)
    olderCopy = copy
  }

  mutating func agreeOnCopy() {
    olderCopy?.isFresh = false
    if olderCopy?.wasPutBack == true, heldCount == 0 { olderCopy = nil }
  }
}
