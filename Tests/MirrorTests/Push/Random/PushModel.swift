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
    /// Where another client put it in this round, which counts unless the reader puts it elsewhere.
    var placeThere: String?
    /// The reader put it elsewhere in this round.
    var isMovedHere = false
    /// Other mailboxes that have a copy of it; a message that was copied changes no more.
    var copies: [String] = []
    /// Flags and keywords on the server, in the tree, and as both last agreed; folded.
    var remote: Set<String>
    var local: Set<String>
    var agreed: Set<String>
    /// It tells whose folder it lies in, and nobody moves it.
    var isAnchor = false
    /// The older copy of its folder does not have it, and the server keeps it: nobody touches it meanwhile.
    var isHeld = false
    /// A person wrote it here; all others were passed on by servers, and show it in their headers.
    var wasWritten = false
    /// Its text was changed here, which no server can be told of.
    var isEdited = false
    var round = Round()

    var isCopied: Bool { !copies.isEmpty }
    /// Nobody does anything to it any more.
    var isSettled: Bool { isCopied || isHeld || isEdited }
    var isUnchanged: Bool { remote == agreed && local == agreed }
  }

  /// A draft is known by the version of its text.
  struct Draft {
    var place: String
    var agreed: Int?
    var remote: Int?
    var local: Int?
    /// Its text is another than at first, and so is its UID.
    var wasReplaced = false
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
    /// Under a name that no machine knows.
    var wasSaved = false
    var wasCopied = false
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
  var isBusy: Bool
  var wasBusy: Bool
  var wasCut = false
  var renumbered: Set<String> = []
  /// One run more may be needed until both sides rest.
  var isUnsettled = false
  /// Mailboxes that messages were moved or copied from or to, or expunged from.
  var shuffled: Set<String> = []

  let themes: Set<PushTheme>
  /// Mailboxes that the server marks as such.
  var draftBox = "Drafts"
  var trash = "Trash"
  /// Mailboxes with a name like another's, and the message that tells whose folder is whose.
  var anchors: [String: String] = [:]
  /// Mailboxes that were for drafts once.
  var formerDrafts: Set<String> = []
  var formerTrash: Set<String> = []
  var machines = PushMachines()
  var olderCopy: OlderCopy?

  init(mailboxes: [String], themes: Set<PushTheme> = []) {
    self.mailboxes = mailboxes
    self.themes = themes
    folders = mailboxes
    isBusy = themes.contains(.watched)
    wasBusy = isBusy
    // Elsewhere only removals and drafts go there.
    guard themes.contains(.roles) else { return }
    self.mailboxes += [draftBox, trash]
    folders += [draftBox, trash]
  }

  // MARK: What may happen

  func allows(_ event: PushEvent) -> Bool {
    guard allowsCarried(event), allowsBesideOlderCopy(event) else { return false }
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
      // What was removed elsewhere before the numbers changed, the other machine cannot know to be gone.
      return !isBusy && !themes.contains(.machines) && mailboxes.contains(name)
        && folders.contains(name)
        && !shuffled.contains(name) && anchors[name] == nil
    case .draft(let token, _): return drafts[token] == nil
    case .remake, .pass, .makeTwin, .reorder: return !isBusy && allowsOfMailboxes(event)
    case .keepCopy, .putBack, .bringBack, .confirm: return !isBusy && allowsOfCopies(event)
    case .carry, .changeMachine: return !isBusy && !wasCut && allowsMachine(event)
    case .replaceDraft(let token, _), .expungeDraft(let token):
      guard let draft = drafts[token], draft.versions.isEmpty, draft.remote != nil,
        !renumbered.contains(draft.place)
      else { return false }
      return !isBusy || !draft.round.wasTouchedHere
    case .editDraft(let token, _):
      guard let draft = drafts[token], draft.versions.isEmpty, draft.local != nil,
        !draft.round.isNewThere
      else { return false }
      return !isBusy || !draft.round.wasTouchedThere
    case .edit(let token):
      return messages[token].map { !isBusy && allowsEdit($0) } ?? false
    case .store, .expunge, .moveThere, .copyThere, .mark, .move, .save, .copy, .remove:
      guard let token = event.token, let message = messages[token], let place = message.place,
        !message.isSettled
      else { return false }
      return event.isHere == true
        ? allowsHere(event, message, place, isOwn: isOwn(token, of: event, isEven: false))
        : allowsThere(event, message, place, isOwn: isOwn(token, of: event, isEven: true))
    }
  }

  /// Whose message it is. Where both sides move, that is everybody's, but between runs only.
  private func isOwn(_ token: String, of event: PushEvent, isEven: Bool) -> Bool {
    if messages[token]?.isAnchor == true { return false }
    switch event {
    case .move, .save, .moveThere:
      guard themes.contains(.movesOnBothSides) else { break }
      if !isBusy { return true }
      // Which of two moves a run meets first nobody knows.
      let round = messages[token]?.round
      if (isEven ? round?.wasPlacedHere : round?.wasPlacedThere) == true { return false }
    default: break
    }
    return Self.isEven(token) == isEven
  }

  /// What a cut run did nobody knows. What a reader does then comes to the same in any case.
  private func allowsBehindCut(_ event: PushEvent) -> Bool {
    guard let token = event.token, messages[token]?.isAnchor != true else { return false }
    switch event {
    case .write(_, let folder): return messages[token] == nil && folders.contains(folder)
    case .editDraft:
      guard let draft = drafts[token], draft.versions.isEmpty, draft.local != nil else {
        return false
      }
      return !draft.round.isNewThere && !draft.round.wasTouchedThere
    case .move, .remove:
      guard let message = messages[token], let place = message.place, !message.isSettled,
        !Self.isEven(token), !message.round.isNewThere, !message.round.wasRemovedHere,
        !message.round.wasPlacedThere
      else { return false }
      if case .move(_, let target) = event { return folders.contains(target) && target != place }
      // Taken out of the trash and removed again: with the move seen it is there, else it is gone from there.
      return place != trash && message.origin != trash && !message.round.isNewHere
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
    case .expunge: return isOwn && !renumbered.contains(place) && !message.round.wasPlacedHere
    case .moveThere(_, let target):
      // A client without MOVE copies, then expunges: marks that arrive in between go with the original, and nobody knows.
      guard !isBusy || message.local == message.agreed, !message.round.wasRemovedHere else {
        return false
      }
      let source = message.placeThere ?? message.origin ?? place
      return isOwn && mailboxes.contains(target) && target != source
        && renumbered.isDisjoint(with: [source, target])
    case .copyThere(_, let target):
      return !message.isAnchor && mailboxes.contains(target) && target != place
        && message.isUnchanged
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
      return !message.isAnchor && folders.contains(target) && target != place && message.isUnchanged
        && !message.round.isNewHere && !message.round.wasPlacedHere
        && !message.round.wasPlacedThere && renumbered.isDisjoint(with: [place, target])
    case .remove:
      // Marks that were set here and never sent go with the file.
      return isOwn && !message.round.isNewHere && !message.round.wasPlacedHere
        && !message.round.wasPlacedThere && message.local == message.agreed
        && !message.round.busyHere
    default: return false
    }
  }

  static func isEven(_ token: String) -> Bool { (Int(token.dropFirst()) ?? 0) % 2 == 0 }
}
