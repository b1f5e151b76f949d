/// Mailboxes that change their names and uses, and those that look like others.
extension PushModel {
  func allowsOfMailboxes(_ event: PushEvent) -> Bool {
    switch event {
    case .remake(let old, let new):
      return old != "INBOX" && anchors[old] == nil && isAtRest(old) && !mailboxes.contains(new)
        && !folders.contains(new)
    case .pass(let mark, let target):
      let old = mark == "\\Trash" ? trash : draftBox
      return target != old && !["INBOX", trash, draftBox].contains(target) && isAtRest(old)
        && isAtRest(target) && !isPuttingInTrash
    case .makeTwin(let name, let anchor):
      return messages[anchor] == nil && !mailboxes.contains(name) && !folders.contains(name)
    case .reorder: return true
    default: return false
    }
  }

  /// On both sides, and nothing is on its way into it but what was removed.
  private func isAtRest(_ mailbox: String) -> Bool {
    let comesHere = messages.values.contains { message in
      message.place == mailbox && message.isMovedHere && !message.round.wasRemovedHere
        || message.place == mailbox && message.round.isNewHere
        || message.copies.contains(mailbox) && message.round.wasCopied
    }
    let isWrittenTo = drafts.values.contains {
      $0.place == mailbox && ($0.round.wasTouchedHere || $0.round.wasTouchedThere)
    }
    return !comesHere && !isWrittenTo && !renumbered.contains(mailbox)
      && mailboxes.contains(mailbox) && folders.contains(mailbox)
  }

  /// Removals that go to the trash, whichever mailbox a run takes for it.
  private var isPuttingInTrash: Bool {
    messages.values.contains { $0.round.wasRemovedHere && $0.place != nil }
  }

  mutating func noteMailboxes(_ event: PushEvent) {
    isUnsettled = true
    switch event {
    case .remake(let old, let new): remake(old, as: new)
    case .pass("\\Trash", let target):
      formerTrash.insert(trash)
      trash = target
      keepRemoved()
    case .pass(_, let target):
      formerDrafts.insert(draftBox)
      draftBox = target
    case .makeTwin(let name, let anchor):
      mailboxes.append(name)
      anchors[name] = anchor
      add(anchor, to: name, []) { $0.isNewThere = true }
      messages[anchor]?.isAnchor = true
    default: break
    }
  }

  private mutating func remake(_ old: String, as new: String) {
    if old == draftBox { formerDrafts.insert(new) }
    if old == trash {
      keepRemoved()
      formerTrash.insert(new)
    }
    func renamed(_ place: String?) -> String? { place == old ? new : place }
    for token in tokens {
      guard var message = messages[token] else { continue }
      // What was removed here goes to whatever is the trash by then.
      if !message.round.wasRemovedHere { message.place = renamed(message.place) }
      message.origin = renamed(message.origin)
      message.placeThere = renamed(message.placeThere)
      message.copies = message.copies.map { $0 == old ? new : $0 }
      messages[token] = message
    }
    for token in draftTokens where drafts[token]?.place == old { drafts[token]?.place = new }
    mailboxes.append(new)
    // Nobody has seen the new one yet.
    folders.removeAll { $0 == old }
    shuffled.formUnion([old, new])
  }

  /// What was to be expunged from the trash is now in a mailbox of which nothing is ever expunged.
  private mutating func keepRemoved() {
    for token in tokens where messages[token]?.round.wasRemovedHere == true {
      messages[token]?.place = trash
    }
  }

  /// An ordinary message where drafts were once, at rest.
  func allowsEdit(_ message: Message) -> Bool {
    guard let place = message.place, !message.isSettled, !message.isAnchor else { return false }
    return formerDrafts.contains(place) && place != draftBox && place == message.origin
      && folders.contains(place) && message.isUnchanged && !message.round.isNewThere
      && !message.round.wasPlacedThere && !message.round.wasPlacedHere
      && !message.agreed.contains("\\draft")
  }
}
