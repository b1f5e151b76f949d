/// What an account ought to be on both sides, tracked apart from the program; and what may happen to it next, so that
/// what ought to be is never in doubt.
///
/// Messages with even numbers are moved and expunged by the server's side only, those with odd numbers by the reader
/// only; flags and keywords change on both sides at once. While the program is at work, a message is one side's alone.
struct PushModel {
  struct Message {
    /// Nil once it is gone for good.
    var place: String?
    /// Where both sides had it last.
    var origin: String?
    /// Other mailboxes that have a copy of it; a message that was copied changes no more.
    var copies: [String] = []
    /// Flags and keywords on the server, in the tree, and as both last agreed; folded.
    var remote: Set<String>
    var local: Set<String>
    var agreed: Set<String>
    var round = Round()

    var isCopied: Bool { !copies.isEmpty }
    var isUnchanged: Bool { remote == agreed && local == agreed }
  }

  /// A draft is known by the version of its text.
  struct Draft {
    var agreed: Int?
    var remote: Int?
    var local: Int?
    /// Kept twice: from then on nobody touches it.
    var versions: [Int] = []
    var round = Round()
  }

  /// What happened since both sides last agreed.
  struct Round {
    var isNewHere = false
    var isNewThere = false
    var wasPlacedHere = false
    var wasPlacedThere = false
    var wasRemovedHere = false
    var wasTouchedHere = false
    var wasTouchedThere = false
    /// While the program was at work.
    var busyHere = false
    var busyThere = false
  }

  var tokens: [String] = []
  var messages: [String: Message] = [:]
  var draftTokens: [String] = []
  var drafts: [String: Draft] = [:]
  var mailboxes: [String]
  var folders: [String]
  var isBusy = false
  var wasBusy = false
  var wasCut = false
  var renumbered: Set<String> = []
  /// Mailboxes that messages were moved or copied from or to, or expunged from.
  var shuffled: Set<String> = []

  static let drafts = "Drafts"
  static let trash = "Trash"

  init(mailboxes: [String]) {
    self.mailboxes = mailboxes
    folders = mailboxes
  }

  // MARK: What may happen

  func allows(_ event: PushEvent) -> Bool {
    if wasCut, event.isHere != nil { return allowsBehindCut(event) }
    switch event {
    case .start: return !isBusy && !wasCut
    case .cut: return !isBusy
    case .pause: return isBusy
    case .sync: return true
    case .deliver(let token, let mailbox, _):
      return messages[token] == nil && mailboxes.contains(mailbox)
    case .write(let token, let folder):
      return messages[token] == nil && folders.contains(folder)
    case .makeMailbox(let name), .makeFolder(let name):
      return !mailboxes.contains(name) && !folders.contains(name)
    case .renumber(let name):
      return !isBusy && mailboxes.contains(name) && folders.contains(name)
        && !shuffled.contains(name)
    case .draft(let token, _): return drafts[token] == nil
    case .replaceDraft(let token, _), .expungeDraft(let token):
      guard let draft = drafts[token], draft.versions.isEmpty, draft.remote != nil,
        !renumbered.contains(Self.drafts)
      else { return false }
      return !isBusy || !draft.round.wasTouchedHere
    case .editDraft(let token, _):
      guard let draft = drafts[token], draft.versions.isEmpty, draft.local != nil,
        !draft.round.isNewThere
      else { return false }
      return !isBusy || !draft.round.wasTouchedThere
    case .store, .expunge, .moveThere, .copyThere, .mark, .move, .save, .copy, .remove:
      guard let token = event.token, let message = messages[token], let place = message.place,
        !message.isCopied
      else { return false }
      return event.isHere == true
        ? allowsHere(event, message, place, isOwn: !Self.isEven(token))
        : allowsThere(event, message, place, isOwn: Self.isEven(token))
    }
  }

  /// What a cut run did nobody knows. What a reader does then comes to the same in any case.
  private func allowsBehindCut(_ event: PushEvent) -> Bool {
    guard let token = event.token else { return false }
    switch event {
    case .write(_, let folder): return messages[token] == nil && folders.contains(folder)
    case .editDraft:
      guard let draft = drafts[token], draft.versions.isEmpty, draft.local != nil else {
        return false
      }
      return !draft.round.isNewThere && !draft.round.wasTouchedThere
    case .move, .remove:
      guard let message = messages[token], let place = message.place, !message.isCopied,
        !Self.isEven(token), !message.round.isNewThere, !message.round.wasRemovedHere
      else { return false }
      if case .move(_, let target) = event { return folders.contains(target) && target != place }
      // Taken out of the trash and removed again: with the move seen it is there, else it is gone from there.
      return place != Self.trash && message.origin != Self.trash && !message.round.isNewHere
        && message.local == message.agreed
    default: return false
    }
  }

  private func allowsThere(_ event: PushEvent, _ message: Message, _ place: String, isOwn: Bool)
    -> Bool
  {
    guard !message.round.isNewHere, !isBusy || !message.round.busyHere else { return false }
    switch event {
    case .store(_, let mark, _):
      let isPending =
        message.local.contains(mark.lowercased())
        != message.agreed.contains(mark.lowercased())
      return !isBusy || !message.round.wasPlacedHere && !isPending
    case .expunge: return isOwn && !renumbered.contains(place)
    case .moveThere(_, let target):
      // A client without MOVE copies, then expunges: marks that arrive in between go with the original, and nobody knows.
      guard !isBusy || message.local == message.agreed else { return false }
      return isOwn && mailboxes.contains(target) && target != place
        && renumbered.isDisjoint(with: [place, target])
    case .copyThere(_, let target):
      return mailboxes.contains(target) && target != place && message.isUnchanged
        && !message.round.wasPlacedHere && !message.round.wasPlacedThere
        && renumbered.isDisjoint(with: [place, target])
    default: return false
    }
  }

  private func allowsHere(_ event: PushEvent, _ message: Message, _ place: String, isOwn: Bool)
    -> Bool
  {
    guard !message.round.isNewThere, !message.round.wasRemovedHere,
      !isBusy || !message.round.busyThere
    else { return false }
    switch event {
    case .mark(_, let mark, _):
      guard isBusy else { return true }
      guard !message.round.wasPlacedThere else { return false }
      let mark = mark.lowercased()
      // A reader that writes a file anew while the program renames it makes two of it, as all programs would.
      return mark.hasPrefix("\\")
        ? message.remote.contains(mark) == message.agreed.contains(mark)
        : message.remote == message.agreed
    case .move(_, let target): return isOwn && folders.contains(target) && target != place
    case .save(_, let target):
      // A program that looks in between sees a copy, and later a removal.
      return isOwn && folders.contains(target) && target != place && !isBusy
    case .copy(_, let target):
      return folders.contains(target) && target != place && message.isUnchanged
        && !message.round.isNewHere && !message.round.wasPlacedHere
        && !message.round.wasPlacedThere && renumbered.isDisjoint(with: [place, target])
    case .remove:
      // Marks that were set here and never sent go with the file.
      return isOwn && !message.round.isNewHere && !message.round.wasPlacedHere
        && message.local == message.agreed && !message.round.busyHere
    default: return false
    }
  }

  static func isEven(_ token: String) -> Bool { (Int(token.dropFirst()) ?? 0) % 2 == 0 }

  // MARK: What it comes to

  mutating func note(_ event: PushEvent) {
    switch event {
    case .start: (isBusy, wasBusy) = (true, true)
    case .cut: wasCut = true
    case .pause: break
    case .sync: agree()
    case .deliver(let token, let mailbox, let marks):
      add(token, to: mailbox, Set(marks.map { $0.lowercased() })) { $0.isNewThere = true }
    case .write(let token, let folder): add(token, to: folder, ["\\seen"]) { $0.isNewHere = true }
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

  private mutating func add(
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
    case .expunge, .moveThere:
      if let place = message.place { shuffled.insert(place) }
      message.place = nil
      if case .moveThere(_, let target) = event {
        message.place = target
        shuffled.insert(target)
      }
      message.round.wasPlacedThere = true
    case .move(_, let target), .save(_, let target):
      message.place = target
      message.round.wasPlacedHere = true
    case .copyThere(_, let target):
      message.copies.append(target)
      shuffled.insert(target)
    case .copy(_, let target):
      message.copies.append(target)
      shuffled.formUnion([message.place ?? target, target])
    case .remove:
      message.place = message.place == Self.trash ? nil : Self.trash
      message.round.wasPlacedHere = true
      message.round.wasRemovedHere = true
    default: break
    }
  }

  private mutating func noteDraft(_ event: PushEvent) {
    guard let token = event.token else { return }
    if case .draft(_, let version) = event {
      drafts[token] = Draft(remote: version)
      drafts[token]?.round.isNewThere = true
      draftTokens.append(token)
    }
    guard var draft = drafts[token] else { return }
    switch event {
    case .replaceDraft(_, let version):
      draft.remote = version
      shuffled.insert(Self.drafts)
    case .expungeDraft:
      draft.remote = nil
      shuffled.insert(Self.drafts)
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
