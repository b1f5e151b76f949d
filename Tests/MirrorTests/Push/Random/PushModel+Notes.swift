/// What an event comes to.
extension PushModel {
  mutating func note(_ event: PushEvent) {
    defer { if event != .sync { machines.isResting = false } }
    switch event {
    case .start: (isBusy, wasBusy) = (true, true)
    case .cut: wasCut = true
    case .pause, .reorder: break
    case .sync: agree()
    case .remake, .pass, .makeTwin: noteMailboxes(event)
    case .keepCopy, .putBack, .bringBack, .confirm: noteCopies(event)
    case .carry, .changeMachine: noteMachine(event)
    case .edit(let token): messages[token]?.isEdited = true
    case .deliver(let token, let mailbox, let marks):
      add(token, to: mailbox, Set(marks.map { $0.lowercased() })) { $0.isNewThere = true }
    case .write(let token, let folder):
      add(token, to: folder, ["\\seen"]) { $0.isNewHere = true }
      messages[token]?.wasWritten = true
    case .makeMailbox(let name): mailboxes.append(name)
    case .makeFolder(let name): folders.append(name)
    case .renumber(let name): renumbered.insert(name)
    case .draft, .replaceDraft, .expungeDraft, .editDraft: noteDraft(event)
    case .store, .expunge, .moveThere, .copyThere, .mark, .move, .save, .copy, .remove:
      guard let token = event.token, var message = messages[token] else { return }
      note(event, of: &message)
      if isBusy, event.isHere == true { message.round.busyHere = true }
      if isBusy, event.isHere == false { message.round.busyThere = true }
      messages[token] = message
    }
  }

  mutating func add(
    _ token: String, to place: String, _ marks: Set<String>, _ change: (inout Round) -> Void
  ) {
    var message = Message(place: place, origin: place, remote: marks, local: marks, agreed: marks)
    change(&message.round)
    tokens.append(token)
    messages[token] = message
  }

  private mutating func note(_ event: PushEvent, of message: inout Message) {
    switch event {
    case .store(_, let mark, let sets):
      message.remote.set(mark.lowercased(), sets)
      if message.round.isNewThere {
        (message.local, message.agreed) = (message.remote, message.remote)
      }
    case .mark(_, let mark, let sets):
      message.local.set(mark.lowercased(), sets)
      if message.round.isNewHere {
        (message.remote, message.agreed) = (message.local, message.local)
      }
    case .expunge:
      if let place = message.place { shuffled.insert(place) }
      message.place = nil
      message.round.wasPlacedThere = true
    case .moveThere(_, let target):
      for place in [message.place, message.origin, message.placeThere] {
        if let place { shuffled.insert(place) }
      }
      shuffled.insert(target)
      message.placeThere = target
      message.round.wasPlacedThere = true
      if !message.isMovedHere { message.place = target }
    case .move(_, let target), .save(_, let target):
      // What the reader puts where it was before is the server's to place.
      message.isMovedHere = target != message.origin || message.round.isNewHere
      message.place = message.isMovedHere ? target : message.placeThere ?? target
      message.round.wasPlacedHere = true
      if case .save = event { message.round.wasSaved = true }
    case .copyThere(_, let target):
      message.copies.append(target)
      message.round.wasCopied = true
      shuffled.insert(target)
    case .copy(_, let target):
      message.copies.append(target)
      message.round.wasCopied = true
      shuffled.formUnion([message.place ?? target, target])
    case .remove:
      message.place = message.place == trash ? nil : trash
      message.round.wasPlacedHere = true
      message.round.wasRemovedHere = true
    default: break
    }
  }

  private mutating func noteDraft(_ event: PushEvent) {
    guard let token = event.token else { return }
    if case .draft(_, let version) = event {
      drafts[token] = Draft(place: draftBox, remote: version)
      drafts[token]?.round.isNewThere = true
      draftTokens.append(token)
    }
    guard var draft = drafts[token] else { return }
    switch event {
    case .replaceDraft(_, let version):
      draft.remote = version
      shuffled.insert(draft.place)
    case .expungeDraft:
      draft.remote = nil
      shuffled.insert(draft.place)
    case .editDraft(_, let version): draft.local = version
    default: break
    }
    if event.isHere == true {
      draft.round.wasTouchedHere = true
    } else {
      draft.round.wasTouchedThere = true
    }
    drafts[token] = draft
  }
}

extension Set {
  fileprivate mutating func set(_ element: Element, _ isThere: Bool) {
    if isThere { insert(element) } else { remove(element) }
  }
}
