import Ledger
import MailCore
import Maildir
import State
import SyncPlan

/// Which of the unknown files are the missing messages, and what that says of the others.
struct FileMatching {
  let seen: SeenTree
  private var letters: MovedLetters { MovedLetters(seen: seen) }

  func match(
    _ missing: [MissingMessage], _ unknown: [UnknownFile], _ changes: inout TreeChanges
  ) throws {
    changes.newFolders = seen.newFolders
    var unknown = unknown
    if !missing.isEmpty { unknown += try seen.filesInNewFolders(missing, &changes) }
    let repeating = try removeRepeating(&unknown, missing)
    let matcher = try matcher(missing, unknown)
    for var move in matcher.matched {
      move.file.marks.keywords = try keywords(of: move.file, as: move.record, from: move.from)
      if move.file.mailbox == move.from {
        changes.renamed.append(move)
      } else {
        changes.moved.append(move)
      }
    }
    try letters.read(ofMoved: &changes.moved)
    try letters.read(ofMoved: &changes.renamed)
    changes.gone = matcher.missing
    try findOutside(&changes)
    let left = try findRewrittenEdits(matcher.unknown + repeating, &changes)
    try findNamesakes(&changes)
    changes.renamedFolders = FolderRenames(
      mailboxes: seen.scope.mailboxes, layout: seen.scope.policy.layout
    ).find(in: changes)
    try NewFiles(seen: seen).sort(left.filter { $0.mailbox != nil }, &changes)
  }

  /// Files that are known to repeat a message of their own folder, which is still there: what is gone from another folder
  /// was not moved to them.
  private func removeRepeating(_ unknown: inout [UnknownFile], _ missing: [MissingMessage]) throws
    -> [UnknownFile]
  {
    let lost = Set(missing.map(\.record.contentHash))
    let places = unknown.indices.filter { lost.contains(unknown[$0].digest.contentHash) }
    var repeating = Set<Int>()
    for (mailbox, places) in Dictionary(grouping: places, by: { unknown[$0].mailbox }) {
      guard let mailbox else { continue }
      let names = Set(try seen.scope.state.surplus(in: mailbox).map(\.nameHash))
      guard !names.isEmpty else { continue }
      let lostHere = Set(missing.filter { $0.mailbox == mailbox }.map(\.record.contentHash))
      let hashes = Set(places.map { unknown[$0].digest.contentHash }).subtracting(lostHere)
      let held = try seen.scope.state.contents(in: mailbox, among: hashes)
      for place in places where names.contains(unknown[place].file.baseHash) {
        if held[unknown[place].digest.contentHash]?.isEmpty == false { repeating.insert(place) }
      }
    }
    let removed = repeating.sorted().map { unknown[$0] }
    unknown = unknown.enumerated().filter { !repeating.contains($0.offset) }.map(\.element)
    return removed
  }

  /// A file whose message the server has in another mailbox is that message only where no other file is: a person moved that
  /// one, not what has been lying here.
  private func matcher(_ missing: [MissingMessage], _ unknown: [UnknownFile]) throws -> (
    matched: [MovedMessage], missing: [MissingMessage], unknown: [UnknownFile]
  ) {
    let lost = Dictionary(grouping: missing, by: \.record.contentHash).mapValues {
      Set($0.map(\.mailbox))
    }
    var surplus: [MailboxKey: Set<SurplusFile>] = [:]
    var moved: [UnknownFile] = []
    var others: [UnknownFile] = []
    for file in unknown {
      // Of its own folder's message it is what is left.
      guard let mailbox = file.mailbox, let from = lost[file.digest.contentHash],
        !from.contains(mailbox)
      else {
        others.append(file)
        continue
      }
      let known = try surplus[mailbox] ?? Set(seen.scope.state.surplus(in: mailbox))
      surplus[mailbox] = known
      if known.contains(SurplusFile(file)) { moved.append(file) } else { others.append(file) }
    }
    let first = MoveMatcher(missing: missing, unknown: others)
    guard !moved.isEmpty else { return (first.matched, first.missing, first.unknown) }
    let second = MoveMatcher(missing: first.missing, unknown: moved)
    return (first.matched + second.matched, second.missing, first.unknown + second.unknown)
  }

  /// What a reader wrote into label headers beyond those that the message brought along counts as well.
  private func keywords(of file: UnknownFile, as record: MessageRecord, from mailbox: MailboxKey)
    throws
    -> Keywords
  {
    switch seen.scope.policy.keywords {
    // Where the tree keeps no keywords, none in a file means nothing.
    case .none: record.agreed.keywords
    case .dovecot:
      try letters.keywords(ofMoved: file, from: mailbox, agreed: record.agreed.keywords)
    case .header:
      file.marks.keywords.union(file.digest.nativeLabels.subtracting(record.nativeLabels))
    }
  }

  /// A message that was edited here and then got other keywords has another content and another name: it is that
  /// message all the same, neither gone nor new.
  private func findRewrittenEdits(_ unknown: [UnknownFile], _ changes: inout TreeChanges) throws
    -> [UnknownFile]
  {
    var rewritten: [RewrittenPlace: [Int]] = [:]
    for (place, file) in unknown.enumerated() {
      let name = RewrittenName(file.file.base)
      guard name.count > 0, let mailbox = file.mailbox else { continue }
      rewritten[RewrittenPlace(mailbox: mailbox, stem: name.stem), default: []].append(place)
    }
    guard !rewritten.isEmpty else { return unknown }
    var used = Set<Int>()
    try changes.gone.removeAll { message in
      let old = RewrittenName(message.record.name)
      let lying = RewrittenPlace(mailbox: message.mailbox, stem: old.stem)
      let place = rewritten[lying]?.first {
        !used.contains($0) && old.isEarlier(than: unknown[$0].file.base)
      }
      guard message.record.contentHash != .unknown, let place else { return false }
      used.insert(place)
      var record = message.record
      var file = unknown[place]
      file.marks.keywords = try keywords(of: file, as: record, from: message.mailbox)
      // Filled, or made a stub, by a run that was cut off.
      if record.isHeld(by: file.digest) {
        changes.renamed.append(MovedMessage(from: message.mailbox, record: record, file: file))
        return true
      }
      record.name = file.file.base
      changes.edited.append(EditedMessage(mailbox: message.mailbox, record: record, file: file))
      if file.marks != record.agreed {
        changes.marks.append(
          ChangedMarks(mailbox: message.mailbox, record: record, local: file.marks))
      }
      return true
    }
    return unknown.enumerated().filter { !used.contains($0.offset) }.map(\.element)
  }

  private func findNamesakes(_ changes: inout TreeChanges) throws {
    guard !changes.gone.isEmpty else { return }
    let names = Set(changes.gone.map { NameHash(of: $0.record.name) })
    for path in seen.folders where seen.stamps[path] != nil {
      try FolderScan.forEachFile(in: try MaildirFolder.open(path, in: seen.scope.tree)) { file in
        let hash = file.baseHash
        if names.contains(hash) { changes.namesakes.insert(hash) }
      }
    }
  }

  /// Before a message counts as gone: it may lie in a directory that is no folder of the layout, where a person put it
  /// (promise 4). Then it stays on the server. Only looked for where something is missing.
  private func findOutside(_ changes: inout TreeChanges) throws {
    guard !changes.gone.isEmpty else { return }
    let homes = seen.scope.mailboxes.map(\.folder)
    let outside = try OutsideFolders.read(seen.scope.tree, besides: seen.folders + homes)
    changes.hidingPlaces = outside.others
    let wanted = WantedFiles(changes.gone)
    var found: [UnknownFile] = []
    for path in outside.folders { found += try seen.files(in: path, wanted, &changes) }
    let matcher = MoveMatcher(missing: changes.gone, unknown: found)
    changes.moved += matcher.matched
    changes.gone = matcher.missing
  }
}

/// Where a rewritten file's older self would lie.
private struct RewrittenPlace: Hashable {
  let mailbox: MailboxKey
  let stem: [UInt8]
}
