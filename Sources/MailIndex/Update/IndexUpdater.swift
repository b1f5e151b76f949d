import GRDB
import MailCore
import Maildir

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Brings the index of a tree up to date.
///
/// Only directories that changed are read, and only files that are new are opened. Whatever
/// interrupts a run, the next one goes on. One run at a time; readers never wait for it.
package struct IndexUpdater: Sendable {
  package enum Mode: Sendable {
    /// What changed.
    case update
    /// The same, but also files that were edited in place, which no directory tells.
    case thorough
    /// From nothing.
    case rebuild
  }

  package let root: String
  /// Addresses of the tree's owner, as far as the configuration knows them.
  package var ownAddresses: [String] = []
  /// What folders are for, as far as servers said it.
  package var roles = ToldRoles()
  /// Looks new messages through for warnings.
  package var examiner: (any MailExaminer)?
  /// Whether all that was not examined yet is, however long that takes.
  package var examinesAll = false
  /// Where new mail came: how long old mail is examined, too.
  package var timeForOldMail = Duration.zero
  /// Nothing of what the index had before may stay readable in its file: it is made anew in an empty one.
  package var erases = false
  /// The process ends after the run: what only frees memory is left to the system, which is quicker.
  package var endsProcess = false
  /// Seconds to wait for another run.
  package var patience: Double = 10
  /// That read and parse; beyond a few, the one who writes is the measure.
  var threads: Int
  /// From how many files on a first build takes the bulk way.
  var bulkFrom = 400
  /// Up to so many segments of search text a first build leaves.
  var enoughSegments = SearchMerge.enough
  /// Up to so many rows of the search text may be dead whatever their share.
  var leastDead = 1000

  package init(root: String) {
    self.root = root
    threads = max(1, min(4, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
  }

  /// Removes the index, for who needs its room: the next update makes it anew. Of a full disk it asks nothing.
  ///
  /// - Returns: whether there was one.
  package static func remove(root: String) throws(IndexError) -> Bool {
    let path = IndexReader.path(root: root)
    guard try IndexPlace.hasFile(path) else { return false }
    let lock = try IndexLock(root: root, patience: 10)
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
    withExtendedLifetime(lock) {}
    return true
  }

  /// - Parameter only: paths of folders below the root; others are not looked at. Nil for all.
  /// - Throws: ``IndexError``; a file that cannot be read is none, but a problem in the summary.
  package func run(
    _ mode: Mode = .update, only: Set<String>? = nil,
    progress: @escaping @Sendable (IndexProgress) -> Void = { _ in }
  ) throws(IndexError) -> IndexSummary {
    let start = ContinuousClock.now
    IndexStore.tune()
    try IndexPlace.makeDirectory(root: root)
    let lock = try IndexLock(root: root, patience: patience)
    let clock = WriteClock()
    let isMarked = SoundMark.isOn(root: root)
    if erases { try IndexStore.erase(root: root) }
    var store = try IndexStore.open(
      root: root, rebuild: erases || mode == .rebuild, isMarked: isMarked, clock: clock)
    defer { store.close() }
    var summary = IndexSummary(reset: store.reset)
    let report = ProgressReport(progress)
    do throws(IndexError) {
      try work(mode, only, isMarked && store.reset == nil, &store, &summary, report)
      if summary.dead > leastDead, summary.dead * 5 > summary.messages + summary.dead {
        // Dead rows of the search text can only go with the whole of it.
        let done = summary
        store.close()
        store = try IndexStore.open(root: root, rebuild: true, clock: clock)
        try work(.update, nil, false, &store, &summary, report)
        summary.keep(done)
      }
    } catch {
      guard case .damaged(let words) = error, store.reset == nil else { throw error }
      // Damage deep inside shows only when it is met: once more, from nothing.
      store.close()
      store = try IndexStore.open(root: root, rebuild: false, damage: words, clock: clock)
      summary = IndexSummary(reset: .damaged(words))
      try work(.update, nil, false, &store, &summary, report)
    }
    store.close()
    if endsProcess { _ = Unmanaged.passRetained(store) }
    SoundMark.put(root: root)
    summary.duration = start.duration(to: .now)
    summary.longestWrite = clock.longest
    withExtendedLifetime(lock) {}
    return summary
  }

  private func work(
    _ mode: Mode, _ only: Set<String>?, _ isMarked: Bool, _ store: inout IndexStore,
    _ summary: inout IndexSummary, _ report: ProgressReport
  ) throws(IndexError) {
    report.begin(.looking)
    let tree: MailTree
    do throws(MaildirError) {
      tree = try MailTree.read(root: root)
    } catch {
      throw .noTree(root: root)
    }
    summary.problems += tree.unreadable.map { IndexProblem(path: $0.path, error: $0.error) }
    let interrupted = try repairInterruption(&store)
    try Soundness(store: store, now: Int64(time(nil))).look(isMarked: isMarked)
    let rows = try store.write { try FolderRows(tree, roles: roles, $0) }
    var scan = TreeScan(in: root + "/.mirror")
    for folder in rows.folders where only?.contains(folder.path.text) ?? true {
      try scan.look(into: folder, of: tree, store, all: mode == .thorough)
    }
    summary.problems += scan.problems
    if mode == .thorough { try scan.addEdited(tree, store) }
    let (renames, isEmpty) = try store.read { db in
      (try Renames(&scan, vanished: rows.vanished, tree: tree, db), try Self.isEmpty(db))
    }
    let hasNews = renames.unknown.count > 0
    try rename(renames.renames, scan, tree, store)
    summary.renamed = renames.renames.count
    let isFirst = interrupted.isUnderWay || isEmpty
    if renames.unknown.count > 0 {
      try add(renames.unknown, scan, tree, isFirst, &store, &summary, report)
    } else if !isMarked {
      try store.write { try IndexSchema.createIndexes($0) }
    }
    if isFirst {
      // First: a build that is killed in between is still under way, and the next run records this again.
      try Examination.begin(store)
      try BulkEnd.close(store)
    }
    try remove(renames.gone, store, report)
    summary.removedFiles = renames.gone.count
    report.begin(.finishing)
    try finish(scan, rows.vanished, store, &summary)
    try examine(isFirst ? summary.messages : nil, hasNews: hasNews, store)
    for account in tree.accounts where account.isOwn {
      try refreshQueue(account.name, store, &summary)
    }
  }

  /// Finishes what an interrupted build left open, before its tables are asked anything.
  private func repairInterruption(_ store: inout IndexStore) throws(IndexError) -> Interruption {
    let interrupted = try store.read(Interruption.init)
    if interrupted.isTextGone { throw .damaged("its making was cut short") }
    if interrupted.isUnderWay { try BulkEnd(enoughSegments: enoughSegments).run(&store) }
    if interrupted.isStale { try store.write { try ThreadChanges.rebuildIfStale($0) } }
    return interrupted
  }

  private static func isEmpty(_ db: Database) throws -> Bool {
    try RowStatement(db, "SELECT 1 FROM message LIMIT 1").number() == nil
  }

  private func rename(
    _ renames: [Renames.Rename], _ scan: TreeScan, _ tree: MailTree, _ store: IndexStore
  ) throws(IndexError) {
    var folders = OpenFolders(tree)
    var short = ShortTransactions(store: store)
    try short.run(renames) {
      try IndexChanges($0)
    } _: { changes, rename in
      let found = rename.found
      let folder = scan.folders[Int(found.folder)].folder
      let letters = folders.letters(of: found.file, found.folder, folder.path)
      try changes.rename(
        rename.old, to: found.file, inode: found.inode, letters: letters, in: folder)
    } end: {
      try $0.settle()
    }
  }

  private func add(
    _ files: FoundList, _ scan: TreeScan, _ tree: MailTree, _ isFirst: Bool,
    _ store: inout IndexStore, _ summary: inout IndexSummary, _ report: ProgressReport
  ) throws(IndexError) {
    report.begin(.reading, total: files.count)
    let before = try store.read(MessageCount.read)
    let now = Int64(time(nil))
    // Replaced files take their row over, one by one.
    let isPossible = try store.read(SegmentAdoption.isPossible)
    let isBulk = isFirst && isPossible && files.count >= bulkFrom
    summary.read = files.count
    var small = files
    if isBulk {
      let way: ThreadChanges.Way = files.count * 4 > Int(before) ? .atEnd : .atOnce
      let bulk = try BulkAdditions(
        store: store, scan: scan, tree: tree, files: files, now: now, way: way, threads: threads,
        report: report)
      summary.problems += try bulk.run()
      small = try bulk.replacing.list()
      report.begin(.finishing)
      try BulkEnd(enoughSegments: enoughSegments).run(&store)
    }
    if small.count > 0 {
      try store.write { try IndexSchema.createIndexes($0) }
      let additions = SmallAdditions(
        store: store, scan: scan, tree: tree, now: now, threads: threads, report: report)
      let (problems, edited) = try additions.run(small)
      summary.problems += problems
      summary.edited = edited
    }
    let after = try store.read(MessageCount.read)
    summary.addedMessages = max(0, Int(after - before))
  }

  private func remove(_ gone: [Int64], _ store: IndexStore, _ report: ProgressReport)
    throws(IndexError)
  {
    if gone.isEmpty { return }
    report.begin(.removing, total: gone.count)
    var short = ShortTransactions(store: store)
    try short.run(gone) {
      try IndexChanges($0)
    } _: { changes, id in
      try changes.remove(id)
    } end: {
      try $0.settle()
    }
    report.add(gone.count)
  }

  private func finish(
    _ scan: TreeScan, _ vanished: [Int64], _ store: IndexStore, _ summary: inout IndexSummary
  ) throws(IndexError) {
    let own = ownAddresses
    let problems = summary.problems
    try store.write { db in
      try FolderRows.remember(scan, problems, db)
      try FolderRows.prune(vanished, db)
      if try AddressUse(db).own(own) { try AddressRecount.ask(db) }
    }
    try AddressRecount.runIfDue(store)
    let counts = try store.read { db in
      (
        messages: try MessageCount.read(db),
        dead: try RowStatement(db, "SELECT count(*) FROM dead").number() ?? 0
      )
    }
    summary.messages = Int(counts.messages)
    summary.dead = Int(counts.dead)
    try Maintenance(store: store).run()
  }

  /// - Parameter first: how many messages a first build has brought; nil where it is none.
  private func examine(
    _ first: Int?, hasNews: Bool, _ store: IndexStore
  ) throws(IndexError) {
    guard let examiner else { return }
    let examination = Examination(store: store, examiner: examiner)
    if let first {
      try examination.examineNewest(of: first)
    } else {
      try examination.examineNew()
    }
    if examinesAll {
      try examination.examineOld()
    } else if hasNews, timeForOldMail > .zero {
      try examination.examineOld(for: timeForOldMail)
    }
  }

  private func refreshQueue(
    _ account: String, _ store: IndexStore, _ summary: inout IndexSummary
  ) throws(IndexError) {
    do {
      try SendQueueView.follow(root: root, account: account, store)
    } catch let error as MaildirError {
      summary.problems.append(IndexProblem(path: account, error: error))
    } catch {
      throw IndexError(error)
    }
  }
}
