/// What stories tell besides everyday changes.
extension PushTeller {
  /// Names that Swift, a file system or a person takes for one.
  private static let twins = [
    ["caf&AOk-", "cafe&AwE-"], ["K", "&ISo-"], ["&AMU-", "&ISs-", "A&Awo-"],
  ]
  /// Dovecot takes only the right spelling, and INBOX in any case.
  private static let misspelt = [
    ["Inbox/s", "INBOX/s"], ["ax", "&AGE-x"], ["a&b", "a&-b"],
  ]

  private mutating func twin() -> PushEvent {
    let isModel = world.account != nil
    return .makeTwin(
      random.pick(random.pick(Self.twins + (isModel ? Self.misspelt : []))), anchor: newToken("a"))
  }

  mutating func beginning() -> [PushEvent] {
    var events: [PushEvent] = []
    if themes.contains(.twins) { events += (0..<(2 + random.below(4))).map { _ in twin() } }
    if themes.contains(.roles) {
      for mailbox in ["Trash", "Trash", "Trash", "Trash", "Drafts", "Drafts"] {
        events.append(.deliver(newToken("t"), to: mailbox, marks: ["\\Seen"]))
      }
    }
    return events
  }

  mutating func themedIdea() -> PushEvent? {
    guard !themes.isEmpty, random.chance(0.25) else { return nil }
    let model = world.model
    switch random.pick(themes.sorted { $0.rawValue < $1.rawValue }) {
    case .movesOnBothSides:
      // Of one that the other side has moved already, where there is one.
      let moved = model.tokens.filter {
        model.messages[$0]?.round.wasPlacedHere == true
          || model.messages[$0]?.round.wasPlacedThere == true
      }
      guard let token = pick(moved) ?? pick(model.tokens) else { return nil }
      switch random.below(4) {
      case 0, 1: return .moveThere(token, to: random.pick(model.mailboxes))
      case 2: return .move(token, to: random.pick(model.folders))
      default: return .save(token, to: random.pick(model.folders))
      }
    case .roles:
      switch random.below(4) {
      case 0: return newRole()
      case 1: return pick(lying { model.formerDrafts.contains($0) }).map { .edit($0) }
      default:
        let kept = lying { model.formerTrash.contains($0) || $0 == model.trash }
        return pick(kept.filter { !PushModel.isEven($0) }).map { .remove($0) }
      }
    case .twins:
      return world.account == nil || random.chance(0.5) ? twin() : .reorder(seed: random.next())
    case .machines: return .carry(whole: false)
    case .olderCopies, .watched: return nil
    }
  }

  private mutating func newRole() -> PushEvent {
    let model = world.model
    switch random.below(world.account == nil ? 4 : 6) {
    case 0, 1: return .remake(model.trash, as: "keep\(newNumber())")
    case 2: return .remake(model.draftBox, as: "keep\(newNumber())")
    case 3: return .remake(random.pick(model.mailboxes), as: "keep\(newNumber())")
    case 4: return .pass("\\Trash", to: random.pick(model.mailboxes))
    default: return .pass("\\Drafts", to: random.pick(model.mailboxes))
    }
  }

  private func lying(_ isThere: (String) -> Bool) -> [String] {
    world.model.tokens.filter { world.model.messages[$0]?.place.map(isThere) ?? false }
  }

  /// What happens while both sides rest.
  mutating func openRound() throws -> [String] {
    if themes.contains(.roles), random.chance(0.6) {
      _ = try world.tell(newRole())
      if random.chance(0.7) {
        let problems = try world.tell(.sync)
        if !problems.isEmpty { return problems }
      }
    }
    if themes.contains(.machines), random.chance(0.6) {
      _ = try world.tell(random.chance(0.3) ? .changeMachine : .carry(whole: random.chance(0.3)))
      if random.chance(0.5) || world.model.machines.mustSync {
        let problems = try world.tell(.sync)
        if !problems.isEmpty { return problems }
      }
    }
    guard themes.contains(.olderCopies) else { return [] }
    guard let copy = world.model.olderCopy else {
      if random.chance(0.7) { _ = try world.tell(.keepCopy(random.pick(world.model.folders))) }
      return []
    }
    _ = try world.tell(.putBack(copy.folder))
    var problems = try world.tell(.sync)
    if problems.isEmpty, random.chance(0.7) {
      _ = try world.tell(random.chance(0.6) ? .bringBack(copy.folder) : .confirm)
      problems = try world.tell(.sync)
    }
    return problems
  }

  /// The machine that was left has to come to the same.
  mutating func end() throws -> [String] {
    guard themes.contains(.machines) else { return [] }
    _ = try world.tell(random.chance(0.5) ? .changeMachine : .carry(whole: false))
    return try world.tell(.sync)
  }
}
