import Ledger
import MailCore
import Maildir
import State
import SyncPlan

/// Files that are no missing message: new ones, and those that repeat a message.
struct NewFiles {
  let seen: SeenTree

  /// New messages, and files that repeat one of their own folder (promise 6).
  func sort(_ unknown: [UnknownFile], _ changes: inout TreeChanges) throws {
    let inParts = try messagesInPart(unknown)
    let state = seen.scope.state
    // What is no mailbox's folder yet has no messages, and no surplus.
    for (mailbox, files) in Dictionary(grouping: unknown, by: \.mailbox) {
      let hashes = Set(files.map(\.digest.contentHash))
      let held = try mailbox.map { try state.contents(in: $0, among: hashes) } ?? [:]
      let gone = Set(
        changes.gone.filter { $0.mailbox == mailbox }.map(\.record.uid)
          + changes.moved.filter { $0.from == mailbox }.map(\.record.uid)
          + changes.edited.filter { $0.mailbox == mailbox }.map(\.record.uid))
      let movedAway = Set(
        changes.moved.filter { $0.from == mailbox }.map(\.record.contentHash))
      // What is moved here with another of its content is one message here (promise 6).
      let arriving = Set(
        changes.moved.filter { mailbox != nil && $0.file.mailbox == mailbox }.map(
          \.record.contentHash))
      let known = Set(try mailbox.map { try state.surplus(in: $0) } ?? [])
      let inPart = Dictionary(
        grouping: (mailbox.flatMap { inParts[$0] } ?? []).filter { !gone.contains($0.uid) },
        by: \.headerHash)
      var fresh = Set<ContentHash>()
      for file in files.sorted(by: { $0.file.name.lexicographicallyPrecedes($1.file.name) }) {
        let all = held[file.digest.contentHash] ?? []
        let twins = all.filter { !gone.contains($0) }
        // Edited since, it repeats nothing any more.
        let unread = SurplusFile(nameHash: file.file.baseHash, contentHash: .unknown)
        let isKnown = known.contains(SurplusFile(file)) || known.contains(unread)
        if !twins.isEmpty {
          if !isKnown { changes.surplus.append(file) }
        } else if inPart[file.digest.headerHash]?.contains(where: { $0.isOtherForm(file.digest) })
          == true
        {
          // Another machine has all of a message, of which a part is here; or the reverse.
          if !isKnown { changes.surplus.append(file) }
        } else if isBorn(file, as: all) {
          // Another machine pulled it, and by another file a person moved or edited the message: it is no second one.
          if !isKnown { changes.surplus.append(file) }
        } else if movedAway.contains(file.digest.contentHash) {
          // A person moved what it repeated, and left it here: it is the message of this folder from now on.
          if fresh.insert(file.digest.contentHash).inserted {
            changes.new.append(file)
          } else {
            changes.twins.append(file)
          }
        } else if isKnown {
          // What it repeated was expunged by the server, or moved to another mailbox: it stays here, and is no new message.
          continue
        } else if isRewritten(file, among: known) {
          let undecided = try mailbox.map { try state.undecidedFiles(in: $0) } ?? []
          if !isRewritten(file, among: Set(undecided.map(\.file))) { changes.surplus.append(file) }
        } else if !arriving.contains(file.digest.contentHash),
          fresh.insert(file.digest.contentHash).inserted
        {
          changes.new.append(file)
        } else {
          changes.twins.append(file)
        }
      }
    }
    try MovedLetters(seen: seen).read(ofCopies: &changes.new)
    changes.new.sort { a, b in
      if a.mailbox == b.mailbox { return a.modified < b.modified }
      guard let one = a.mailbox, let other = b.mailbox else { return a.mailbox == nil }
      return one < other
    }
  }

  /// Messages of which parts are missing, or were, by mailbox; and those of which a new file may be a stub.
  private func messagesInPart(_ unknown: [UnknownFile]) throws -> [MailboxKey: [MessageRecord]] {
    guard !unknown.isEmpty else { return [:] }
    let state = seen.scope.state
    let known = try state.onDemand([.stub, .wanted, .filled, .leavingParts])
    var messages = Dictionary(grouping: known, by: \.mailbox).mapValues { $0.map(\.message) }
    for (mailbox, files) in Dictionary(grouping: unknown.filter(\.digest.isStub), by: \.mailbox) {
      guard let mailbox else { continue }
      let headers = Set(files.map(\.digest.headerHash))
      try state.forEachMessage(in: mailbox) { record in
        guard headers.contains(record.headerHash), !record.hasBeenStub, !record.isPruned,
          !record.traits.contains(.expunged)
        else { return }
        messages[mailbox, default: []].append(record)
      }
    }
    return messages
  }

  /// Whether the file has the name that a pull gave one of these messages of its mailbox.
  private func isBorn(_ file: UnknownFile, as messages: [UID]) -> Bool {
    let mailbox = seen.scope.mailboxes.first { $0.id == file.mailbox }
    return mailbox?.uid(bornAs: file.file.base).map(messages.contains) ?? false
  }

  /// A surplus file whose keywords line a command wrote anew has another name, and is what it was.
  private func isRewritten(_ file: UnknownFile, among known: Set<SurplusFile>) -> Bool {
    RewrittenName.earlier(than: file.file.base).contains {
      known.contains(
        SurplusFile(nameHash: NameHash(of: $0), contentHash: file.digest.contentHash))
    }
  }
}
