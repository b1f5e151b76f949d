import Ledger
import MailCore
import Maildir
import State
import SyncPlan

extension ScanPass {
  func match(
    _ missing: [MissingMessage], _ unknown: [UnknownFile], _ changes: inout TreeChanges
  ) throws {
    let strangers = folders.filter { owners[$0] == nil }
    changes.newFolders = strangers
    var unknown = unknown
    if !missing.isEmpty { unknown += try filesElsewhere(strangers, missing, &changes) }
    let repeating = try takeRepeating(&unknown, missing)
    let matcher = MoveMatcher(missing: missing, unknown: unknown)
    for var move in matcher.matched {
      move.file.marks.keywords = try keywords(of: move.file, as: move.record, from: move.from)
      if move.file.mailbox == move.from {
        changes.renamed.append(move)
      } else {
        changes.moved.append(move)
      }
    }
    try readLetters(ofMoved: &changes.moved)
    try readLetters(ofMoved: &changes.renamed)
    changes.gone = matcher.missing
    try findOutside(&changes)
    let left = try takeRewrittenEdits(matcher.unknown + repeating, &changes)
    try findNamesakes(&changes)
    changes.renamedFolders = renamedFolders(changes)
    try sort(left.filter { $0.mailbox != nil }, &changes)
  }

  /// Files that are known to repeat a message of their own folder, which is still there: what is gone from another folder
  /// was not moved to them.
  private func takeRepeating(_ unknown: inout [UnknownFile], _ missing: [MissingMessage]) throws
    -> [UnknownFile]
  {
    let lost = Set(missing.map(\.record.contentHash))
    let places = unknown.indices.filter {
      unknown[$0].mailbox != nil && lost.contains(unknown[$0].digest.contentHash)
    }
    var repeating = Set<Int>()
    for (mailbox, places) in Dictionary(grouping: places, by: { unknown[$0].mailbox ?? 0 }) {
      let names = Set(try finder.state.surplus(in: mailbox).map(\.nameHash))
      guard !names.isEmpty else { continue }
      let lostHere = Set(missing.filter { $0.mailbox == mailbox }.map(\.record.contentHash))
      let hashes = Set(places.map { unknown[$0].digest.contentHash }).subtracting(lostHere)
      let held = try finder.state.contents(in: mailbox, among: hashes)
      for place in places where names.contains(unknown[place].file.baseHash) {
        if held[unknown[place].digest.contentHash]?.isEmpty == false { repeating.insert(place) }
      }
    }
    let taken = repeating.sorted().map { unknown[$0] }
    unknown = unknown.enumerated().filter { !repeating.contains($0.offset) }.map(\.element)
    return taken
  }

  /// What a reader wrote into label headers beyond those that the message brought along counts as well.
  private func keywords(of file: UnknownFile, as record: MessageRecord, from mailbox: Int64) throws
    -> Keywords
  {
    switch finder.policy.keywords {
    // Where the tree keeps no keywords, none in a file means nothing.
    case .none: record.agreed.keywords
    case .dovecot: try keywords(ofMoved: file, from: mailbox, agreed: record.agreed.keywords)
    case .header:
      file.marks.keywords.union(file.digest.nativeLabels.subtracting(record.nativeLabels))
    }
  }

  /// A message that was edited here and then got other keywords has another content and another name: it is that
  /// message all the same, neither gone nor new.
  private func takeRewrittenEdits(_ unknown: [UnknownFile], _ changes: inout TreeChanges) throws
    -> [UnknownFile]
  {
    var rewritten: [RewrittenPlace: [Int]] = [:]
    for (place, file) in unknown.enumerated() {
      let name = RewrittenName(file.file.base)
      guard name.count > 0, let mailbox = file.mailbox else { continue }
      rewritten[RewrittenPlace(mailbox: mailbox, stem: name.stem), default: []].append(place)
    }
    guard !rewritten.isEmpty else { return unknown }
    var taken = Set<Int>()
    try changes.gone.removeAll { message in
      let old = RewrittenName(message.record.name)
      let places = rewritten[RewrittenPlace(mailbox: message.mailbox, stem: old.stem)] ?? []
      let place = places.first {
        !taken.contains($0) && RewrittenName(unknown[$0].file.base).count > old.count
      }
      guard message.record.contentHash != 0, let place else { return false }
      taken.insert(place)
      var record = message.record
      record.name = unknown[place].file.base
      var file = unknown[place]
      file.marks.keywords = try keywords(of: file, as: record, from: message.mailbox)
      changes.edited.append(EditedMessage(mailbox: message.mailbox, record: record, file: file))
      if file.marks != record.agreed {
        changes.marks.append(
          ChangedMarks(mailbox: message.mailbox, record: record, local: file.marks))
      }
      return true
    }
    return unknown.enumerated().filter { !taken.contains($0.offset) }.map(\.element)
  }

  private func findNamesakes(_ changes: inout TreeChanges) throws {
    guard !changes.gone.isEmpty else { return }
    let names = Set(changes.gone.map { XXH3.hash($0.record.name) })
    for path in folders where stamps[path] != nil {
      try FolderScan.forEachFile(in: try MaildirFolder.open(path, in: finder.tree)) { file in
        let hash = file.baseHash
        if names.contains(hash) { changes.namesakes.insert(hash) }
      }
    }
  }

  /// Files in folders of no mailbox that may be missing messages: by name, else by size, then by content.
  func filesElsewhere(
    _ strangers: [FolderPath], _ missing: [MissingMessage], _ changes: inout TreeChanges
  ) throws -> [UnknownFile] {
    guard !strangers.isEmpty else { return [] }
    let wanted = WantedFiles(missing)
    var found: [UnknownFile] = []
    for path in strangers {
      guard stamps[path] != nil else {
        changes.unreadFolders.append(path.text)
        continue
      }
      found += try files(in: path, wanted, &changes)
    }
    return found
  }

  /// A mailbox's folder is gone, and most of what was in it lies in one that is no mailbox's: the folder was renamed.
  /// Where two were merged, it is the one that goes along with a folder above it, else that of which more is there.
  private func renamedFolders(_ changes: TreeChanges) -> [TreeChanges.RenamedFolder] {
    var found: [(rename: TreeChanges.RenamedFolder, count: Int)] = []
    for mailbox in changes.goneFolders {
      let expected = changes.expected[mailbox] ?? 0
      var places: [FolderPath: Int] = [:]
      for move in changes.moved
      where move.from == mailbox && changes.newFolders.contains(move.file.folder)
        && move.record.name == move.file.file.base
      {
        places[move.file.folder, default: 0] += 1
      }
      guard let best = places.max(by: { ($0.value, $1.key.text) < ($1.value, $0.key.text) }),
        best.value * 2 > expected
      else { continue }
      found.append(
        (TreeChanges.RenamedFolder(mailbox: mailbox, folder: best.key), best.value))
    }
    let alone = Set(found.map(\.rename)).subtracting(inStep(found.map(\.rename)))
    func rank(_ candidate: (rename: TreeChanges.RenamedFolder, count: Int)) -> (Int, Int) {
      (alone.contains(candidate.rename) ? 0 : 1, candidate.count)
    }
    let chosen = Dictionary(found.map { ($0.rename.folder, $0) }) { rank($1) > rank($0) ? $1 : $0 }
    return found.map(\.rename).filter { chosen[$0.folder]?.rename == $0 }
  }

  /// Those that are where the rename of a folder above them takes them.
  private func inStep(_ renames: [TreeChanges.RenamedFolder]) -> [TreeChanges.RenamedFolder] {
    let homes = Dictionary(
      finder.mailboxes.compactMap { record in record.id.map { ($0, record.folder) } },
      uniquingKeysWith: { $1 })
    let separator = finder.policy.layout.separator
    return renames.filter { rename in
      guard let home = homes[rename.mailbox] else { return false }
      return renames.contains { above in
        guard let old = homes[above.mailbox] else { return false }
        let branch = BranchMove(old: old, new: above.folder.text, separator: separator)
        return branch.name(below: home).map { FolderPath(text: $0) == rename.folder } ?? false
      }
    }
  }

  /// New messages, and files that repeat one of their own folder (promise 6).
  private func sort(_ unknown: [UnknownFile], _ changes: inout TreeChanges) throws {
    for (mailbox, files) in Dictionary(grouping: unknown, by: { $0.mailbox ?? 0 }) {
      let hashes = Set(files.map(\.digest.contentHash))
      let held = try finder.state.contents(in: mailbox, among: hashes)
      let gone = Set(
        changes.gone.filter { $0.mailbox == mailbox }.map(\.record.uid)
          + changes.moved.filter { $0.from == mailbox }.map(\.record.uid)
          + changes.edited.filter { $0.mailbox == mailbox }.map(\.record.uid))
      let movedAway = Set(
        changes.moved.filter { $0.from == mailbox }.map(\.record.contentHash))
      let known = Set(try finder.state.surplus(in: mailbox))
      var fresh = Set<UInt64>()
      for file in files.sorted(by: { $0.file.name.lexicographicallyPrecedes($1.file.name) }) {
        let twins = (held[file.digest.contentHash] ?? []).filter { !gone.contains($0) }
        // Edited since, it repeats nothing any more.
        let isKnown = known.contains(
          SurplusFile(nameHash: file.file.baseHash, contentHash: file.digest.contentHash))
        if !twins.isEmpty {
          if !isKnown { changes.surplus.append(file) }
        } else if movedAway.contains(file.digest.contentHash) {
          // A person moved what it repeated, and left it here: it is the message of this folder from now on.
          if fresh.insert(file.digest.contentHash).inserted {
            changes.new.append(file)
          } else {
            changes.twins.append(file)
          }
        } else if isKnown {
          // What it repeated was expunged by the server: it stays here, and is no new message.
          continue
        } else if isRewritten(file, among: known) {
          changes.surplus.append(file)
        } else if fresh.insert(file.digest.contentHash).inserted {
          changes.new.append(file)
        } else {
          changes.twins.append(file)
        }
      }
    }
    try readLetters(ofCopies: &changes.new)
    changes.new.sort {
      ($0.mailbox ?? 0, $0.modified) < ($1.mailbox ?? 0, $1.modified)
    }
  }

  /// A surplus file whose keywords line a command wrote anew has another name, and is what it was.
  private func isRewritten(_ file: UnknownFile, among known: Set<SurplusFile>) -> Bool {
    RewrittenName.earlier(than: file.file.base).contains {
      known.contains(
        SurplusFile(nameHash: XXH3.hash($0), contentHash: file.digest.contentHash))
    }
  }
}

/// Where a rewritten file's older self would lie.
private struct RewrittenPlace: Hashable {
  let mailbox: Int64
  let stem: [UInt8]
}
