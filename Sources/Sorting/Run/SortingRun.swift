import Foundation
import MailCore
import Maildir

/// Carries a plan out, as a mail reader would: by renaming files. What it does can be taken back.
package struct SortingRun {
  package struct Outcome: Sendable {
    /// Those that were done.
    package var steps: [SortingStep] = []
    package var problems: [(subject: String, reason: String)] = []
    /// Below the root.
    package var folders: Set<String> = []
    /// How many of the problems are permissions that lack.
    var refusals = 0

    /// Nothing could be done for want of permissions, and for nothing else.
    package var isRefused: Bool {
      steps.isEmpty && !problems.isEmpty && refusals == problems.count
    }

    package init() {}

    /// Together with what another did.
    package mutating func add(_ other: Outcome) {
      steps += other.steps
      problems += other.problems
      folders.formUnion(other.folders)
      refusals += other.refusals
    }
  }

  private let tree: SortingTree
  private let undo: UndoFile
  private var outcome = Outcome()
  /// Where each step's file was met when it was recorded.
  private var guesses: [MessageFile] = []

  package init(_ tree: SortingTree) {
    self.tree = tree
    undo = UndoFile(root: tree.root)
  }

  /// The record of the plan is on disk before the first file moves, so that a run that was killed can be taken back too.
  /// The oldest records are given up only for something that was done.
  ///
  /// - Parameter command: as it was typed; nil for what is no change to take back, and leaves the last one's record.
  /// - Throws: what makes the whole impossible, ``SortingError/busy``; what fails of single files is told in the outcome.
  package mutating func perform(_ steps: [SortingStep], command: String?) throws -> Outcome {
    guard !steps.isEmpty else { return outcome }
    let isFirst = try tree.hold()
    defer { if isFirst { tree.letGo() } }
    guard let command else {
      var steps = try identified(steps)
      try carryOut(&steps)
      return outcome
    }
    var record = try begin(steps, command: command)
    guard !record.steps.isEmpty else { return outcome }
    var failure: (any Error)?
    do { try carryOut(&record.steps) } catch { failure = error }
    try conclude(record)
    if let failure { throw failure }
    return outcome
  }

  /// Puts on disk what is to be done and by what each file is known, and the record before it.
  mutating func begin(_ steps: [SortingStep], command: String) throws -> UndoRecord {
    var record = UndoRecord(command: command, made: Date(), steps: try identified(steps))
    guard !record.steps.isEmpty else { return record }
    remember(in: &record)
    try undo.append(&record)
    return record
  }

  /// What was done stays recorded, and what may have been done in part.
  private func conclude(_ record: UndoRecord) throws {
    guard !record.steps.isEmpty else { return try undo.remove(record) }
    try undo.write(record)
    for old in undo.superseded(in: tree) {
      tree.forget(old)
      try undo.remove(old)
    }
  }

  // MARK: Before

  /// The steps whose files are there, with what tells these from others.
  private mutating func identified(_ steps: [SortingStep]) throws -> [SortingStep] {
    var names: [String: FolderNames] = [:]
    guesses = []
    var found: [SortingStep] = []
    for var step in steps {
      do {
        let folder = try tree.folder(step.folder)
        let known = try names[step.folder] ?? FolderNames(folder)
        names[step.folder] = known
        // Also where a pull, or another command, wrote its keywords line anew since it was planned.
        guard let file = known.find([UInt8](step.base)),
          let facts = try FolderEntries.facts(file, in: folder)
        else {
          leave(step, "it is no longer there")
          continue
        }
        step.base = Data(file.base)
        step.file = FileIdentity(facts)
        guesses.append(file)
        found.append(step)
      } catch let error as MaildirError where !error.stopsRun {
        leave(step, error)
      }
    }
    return found
  }

  /// What the servers had agreed to, by which undo tells what was pushed since. A state that cannot be read tells
  /// nothing, and hinders no sorting.
  private func remember(in record: inout UndoRecord) {
    var nextUIDs: [String: UInt32] = [:]
    for account in Set(record.steps.map(\.account)) {
      guard let state = try? AgreedState(account, tree) else { continue }
      let own = record.steps.indices.filter { record.steps[$0].account == account }
      guard (try? state.learn(own.map { [UInt8](record.steps[$0].base) })) != nil else { continue }
      nextUIDs.merge(state.nextUIDs) { $1 }
      for index in own {
        let step = record.steps[index]
        record.steps[index].agreed = state.message([UInt8](step.base), nowIn: step.folder)
      }
    }
    record.nextUIDs = nextUIDs
  }

  // MARK: Doing

  /// Leaves those in the list that were done, or that failed on the way; durable when this returns.
  ///
  /// - Throws: what makes the rest impossible.
  private mutating func carryOut(_ steps: inout [SortingStep]) throws {
    var begun: [SortingStep] = []
    var failure: (any Error)?
    for (var step, guess) in zip(steps, guesses) where failure == nil {
      do {
        if try perform(&step, guess) { begun.append(step) }
      } catch let error as MaildirError where !error.stopsRun {
        leave(step, error)
        if !isUntouched(step, guess) { begun.append(step) }
      } catch {
        failure = error
        if !isUntouched(step, guess) { begun.append(step) }
      }
    }
    steps = begun
    let targets = begun.compactMap { if case .move(let target) = $0.action { target } else { nil } }
    try tree.sync(outcome.folders, gaining: Set(targets)) { path in
      tree.policy(String(path.prefix { $0 != "/" })).fsync
    }
    if let failure { throw failure }
  }

  private func isUntouched(_ step: SortingStep, _ file: MessageFile) -> Bool {
    guard let folder = try? tree.folder(step.folder),
      let facts = try? FolderEntries.facts(file, in: folder)
    else { return false }
    return FileIdentity(facts) == step.file
  }

  /// False where nothing was to be done.
  private mutating func perform(_ step: inout SortingStep, _ guess: MessageFile) throws -> Bool {
    let folder = try tree.folder(step.folder)
    for isRetry in [false, true, true] {
      let guess = isRetry ? nil : guess
      guard let file = try tree.locate([UInt8](step.base), in: folder, guess: guess) else { break }
      do {
        guard try apply(&step, to: file, in: folder, isRetry: isRetry) else { return false }
        outcome.folders.insert(step.folder)
        outcome.steps.append(step)
        return true
      } catch MaildirError.vanished {
        continue  // A reader renamed it just now.
      }
    }
    leave(step, "it is no longer there")
    return false
  }

  private mutating func apply(
    _ step: inout SortingStep, to file: MessageFile, in folder: MaildirFolder, isRetry: Bool
  ) throws -> Bool {
    let policy = tree.policy(step.account)
    var place = folder
    var done = file
    switch step.action {
    case .mark(let before, let after):
      let planned = (before, after)
      let real = try marks(of: file, changed: planned, in: folder, policy)
      guard isRetry || real.before != real.after else { return false }
      // A try before this one may have done a part.
      if !isRetry { step.action = .mark(before: real.before, after: real.after) }
      done = try mark(file, real, in: folder, policy)
    case .move(let target):
      guard isAsPlanned(step, file, policy) else {
        leave(step, "its keywords have just changed; push first")
        return false
      }
      place = try tree.folder(target)
      outcome.folders.insert(target)
      done = try folder.move(
        file, to: place, policy: policy,
        letters: step.arrivesWith.map { .meaning($0.keywords) } ?? .translated)
    case .setAside:
      place = try tree.folder(tree.asideFolder(step.account))
      done = try folder.move(file, to: place, policy: policy, letters: .kept)
      if policy.fsync { try place.syncDirectories() }
    }
    step.doneAs = Data(done.base)
    // Renamed by a reader in this moment, it is still known by its name.
    if let facts = try FolderEntries.facts(done, in: place) { step.file = FileIdentity(facts) }
    return true
  }

  /// Letters that changed since the plan was made are no longer what was agreed.
  private func isAsPlanned(_ step: SortingStep, _ file: MessageFile, _ policy: MaildirPolicy)
    -> Bool
  {
    guard case .dovecot = policy.keywords, let planned = step.letters else { return true }
    return planned == file.fileName.keywordLetters.rawValue
  }

  /// The plan's change upon what the file shows by now: what others changed since stays.
  private func marks(
    of file: MessageFile, changed plan: (before: FileMarks, after: FileMarks),
    in folder: MaildirFolder, _ policy: MaildirPolicy
  ) throws -> (before: FileMarks, after: FileMarks) {
    let (before, after) = plan
    let changed = before.flags.symmetricDifference(after.flags)
    let flags = file.fileName.flags.subtracting(changed).union(after.flags.intersection(changed))
    var own = before.keywords
    var wanted = own
    if before.keywords != after.keywords {
      own = try folder.localKeywords(of: file, policy: policy).own ?? .none
      wanted = own.subtracting(before.keywords.subtracting(after.keywords))
        .union(after.keywords.subtracting(before.keywords))
    }
    return (
      FileMarks(flags: file.fileName.flags, keywords: own),
      FileMarks(flags: flags, keywords: wanted)
    )
  }

  private func mark(
    _ file: MessageFile, _ marks: (before: FileMarks, after: FileMarks), in folder: MaildirFolder,
    _ policy: MaildirPolicy
  ) throws -> MessageFile {
    var file = file
    if marks.before.keywords != marks.after.keywords {
      file = try folder.setKeywords(marks.after.keywords, of: file, policy: policy).file
    }
    return try folder.setFlags(marks.after.flags, of: file, policy: policy)
  }

  private mutating func leave(_ step: SortingStep, _ error: MaildirError) {
    let words = error.explanation
    if words.exitStatus == .refused { outcome.refusals += 1 }
    leave(step, words.problem)
  }

  private mutating func leave(_ step: SortingStep, _ reason: String) {
    outcome.problems.append((step.name, reason.withoutPeriod))
  }
}

extension SortingStep {
  /// For people.
  package var name: String {
    if !subject.isEmpty { return "“\(subject)”" }
    // No index knows it.
    return message < 0 ? "a message" : "message \(message)"
  }
}
