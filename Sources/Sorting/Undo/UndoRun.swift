import Foundation
import MailCore
import Maildir

/// Takes the last change back, as far as no push carried it out; the next undo takes the one before. What cannot be taken
/// back now stays recorded.
package struct UndoRun {
  private let tree: SortingTree
  private let undo: UndoFile
  private var outcome = SortingRun.Outcome()
  /// Steps that another undo is to try.
  private var kept: [SortingStep] = []

  package init(_ tree: SortingTree) {
    self.tree = tree
    undo = UndoFile(root: tree.root)
  }

  /// What of a record can be taken back, and what stays for which reason.
  package struct Survey {
    package let record: UndoRecord
    package var steps: [SortingStep] = []
    package var left: [(step: SortingStep, reason: String)] = []
    /// As they lie once that is done.
    fileprivate var files: TreeFiles

    fileprivate var hasNothing: Bool { record.wasTried == true && steps.isEmpty }
  }

  /// The change that comes next: the last one, unless an undo left it before and nothing of it can be taken back now.
  ///
  /// - Throws: ``SortingError/nothingToUndo``.
  package func record() throws -> UndoRecord {
    var left: UndoRecord?
    for record in records() {
      if try record.wasTried != true || !survey(record).hasNothing { return record }
      left = left ?? record
    }
    guard let left else { throw SortingError.nothingToUndo }
    return left
  }

  /// What can be taken back one after the other, the last first.
  package func records() -> [UndoRecord] { undo.readable().records }

  /// Why the records of other changes cannot be read.
  package var damaged: [SortingError] { undo.readable().damaged }

  /// What so many undos one after the other would do. Changes nothing.
  ///
  /// - Returns: as many as there are; none that would come behind one that is taken back in part only.
  /// - Throws: ``SortingError/nothingToUndo``.
  package func survey(next count: Int) throws -> [Survey] {
    let records = records()
    var files = TreeFiles(tree, for: records.flatMap(\.steps))
    var found: [Survey] = []
    var left: Survey?
    for record in records {
      let survey = try survey(record, files)
      if survey.hasNothing {
        left = left ?? survey
        continue
      }
      files = survey.files
      found.append(survey)
      if found.count == count || !survey.left.isEmpty { break }
    }
    if found.isEmpty, let left { found = [left] }
    guard !found.isEmpty else { throw SortingError.nothingToUndo }
    return found
  }

  /// - Parameter files: as they lie by then; nil for as they lie now.
  private func survey(_ record: UndoRecord, _ files: TreeFiles? = nil) throws -> Survey {
    let found = try FoundSteps(record, tree, files)
    var survey = Survey(record: record, files: found.files)
    for (step, fate) in found.steps {
      switch fate {
      case .found, .copied, .replaced: survey.steps.append(step)
      case .undone: continue
      case .awaited, .pushed, .elsewhere, .unreadable, .lost:
        survey.left.append((step, reason(step, fate).withoutPeriod))
      }
    }
    return survey
  }

  /// - Parameter record: as it was read before a person was asked about it.
  /// - Throws: ``SortingError/busy`` where another command is at work, ``SortingError/overtaken`` where one has put its
  ///   record in the place of this one.
  package mutating func perform(_ record: UndoRecord) throws -> SortingRun.Outcome {
    let isFirst = try tree.hold()
    defer { if isFirst { tree.letGo() } }
    guard !undo.numbers.isEmpty, try self.record() == record else {
      throw SortingError.overtaken
    }
    let found = try FoundSteps(record, tree)
    var left = found.steps[...]
    var failure: (any Error)?
    while failure == nil, let (step, fate) = left.popFirst() {
      do {
        try takeBack(step, fate)
      } catch let error as MaildirError where !error.stopsRun {
        keep(step, error.explanation.problem)
      } catch {
        kept.append(step)
        failure = error
      }
    }
    try tree.sync(outcome.folders, gaining: Set(record.steps.map(\.folder))) { path in
      tree.policy(String(path.prefix { $0 != "/" })).fsync
    }
    try conclude(record, kept + left.map(\.0))
    if let failure { throw failure }
    return outcome
  }

  /// A text that lies aside still keeps its step, whatever was found of that: it is nowhere else.
  private func conclude(_ record: UndoRecord, _ left: [SortingStep]) throws {
    var rest = record
    let aside = tree.textsAside(of: record)
    rest.steps = record.steps.filter { left.contains($0) || aside.contains($0) }
    rest.wasTried = true
    if rest.steps.isEmpty { try undo.remove(record) } else { try undo.write(rest) }
  }

  // MARK: One step

  private mutating func takeBack(_ step: SortingStep, _ fate: FoundSteps.Fate) throws {
    switch fate {
    case .undone: return
    case .pushed:
      // What was deleted for good: its file is all that is left of the message here.
      if step.action == .setAside { kept.append(step) }
      leave(step, reason(step, fate))
    case .awaited, .elsewhere, .unreadable, .lost: keep(step, reason(step, fate))
    case .replaced(let path, let entry, let standIn):
      try replace(standIn, by: entry.file, from: path, of: step)
    case .copied(let path, let entry):
      if try removeCopy(entry.file, in: path, of: step) {
        outcome.folders.insert(path)
        outcome.steps.append(step)
      }
    case .found(let path, let entry):
      switch step.action {
      case .mark(let before, let after):
        try unmark(step, entry.file, path, before, after)
      case .move, .setAside: try putBack(step, entry.file, from: path)
      }
    }
  }

  /// Why a step stays as it is.
  private func reason(_ step: SortingStep, _ fate: FoundSteps.Fate) -> String {
    switch fate {
    case .found, .copied, .replaced, .undone: ""
    case .awaited: "what the server has in its place is not here yet; pull first"
    case .pushed:
      step.action == .setAside
        ? "it was pushed already; its file stays in \(step.account)/.mirror/undo for now"
        : "it was pushed already; make the opposite change instead"
    case .elsewhere(let path): "it lies in \(tree.title(path)) by now; move it from there"
    case .unreadable(let path):
      "it was moved to \(tree.title(path)) since and that is not pushed yet; push first"
    case .lost: "it is no longer there; another undo looks for it again"
    }
  }

  /// Removes a file whose very content lies at home, too; false where it does not.
  private func removeCopy(_ copy: MessageFile, in path: String, of step: SortingStep) throws -> Bool
  {
    let folder = try tree.folder(path)
    let home = try tree.folder(step.folder)
    let seen = try folder.facts(copy)
    guard let original = try tree.locate([UInt8](step.base), in: home, guess: nil),
      try folder.holdsSame(copy, as: original, in: home)
    else { return false }
    try home.syncDirectories()
    do throws(MaildirError) {
      try folder.unlink(copy, asSeen: seen)
      return true
    } catch {
      if case .vanished = error { return false }  // It is being edited.
      throw error
    }
  }

  private mutating func unmark(
    _ step: SortingStep, _ file: MessageFile, _ path: String, _ before: FileMarks,
    _ after: FileMarks
  ) throws {
    let folder = try tree.folder(path)
    let policy = tree.policy(step.account)
    // A step behind it may have just moved the file back here.
    guard
      var file = try tree.locate(file.base, in: folder, guess: file)
        ?? tree.locate([UInt8](step.doneAs ?? step.base), in: folder, guess: nil)
    else { return keep(step, reason(step, .lost)) }
    if before.keywords != after.keywords {
      let now = try folder.localKeywords(of: file, policy: policy).own ?? .none
      let wanted = now.subtracting(after.keywords.subtracting(before.keywords))
        .union(before.keywords.subtracting(after.keywords))
      file = try folder.setKeywords(wanted, of: file, policy: policy).file
    }
    let changed = before.flags.symmetricDifference(after.flags)
    let flags = file.fileName.flags.subtracting(changed)
      .union(before.flags.intersection(changed))
    _ = try folder.setFlags(flags, of: file, policy: policy)
    outcome.folders.insert(path)
    outcome.steps.append(step)
  }

  private mutating func putBack(
    _ step: SortingStep, _ file: MessageFile, from source: String
  ) throws {
    let folder = try tree.folder(source)
    let policy = tree.policy(step.account)
    let home = try tree.folder(step.folder)
    // Another undo was killed between copy and unlink, on its way to another file system.
    if try !removeCopy(file, in: source, of: step) {
      let moved = try folder.move(
        file, to: home, policy: policy, letters: letters(step, file, in: folder, policy))
      try rename(moved, as: [UInt8](step.base), in: home, policy)
    }
    if case .move(let target) = step.action { outcome.folders.insert(target) }
    outcome.folders.insert(step.folder)
    outcome.steps.append(step)
  }

  /// Those that it had, where nobody changed what it came with.
  private func letters(
    _ step: SortingStep, _ file: MessageFile, in folder: MaildirFolder, _ policy: MaildirPolicy
  ) throws -> MaildirFolder.MovedLetters {
    if step.action == .setAside { return .kept }
    guard let kept = step.arrivesWith, let letters = step.letters,
      try folder.localKeywords(of: file, policy: policy).set(beyond: .none, agreed: kept.keywords)
        == kept.keywords
    else { return .translated }
    return .exactly(KeywordLetters(rawValue: letters))
  }

  /// The edited file is in its folder again, as an edit of what the server has.
  private mutating func replace(
    _ standIn: MessageFile, by edited: MessageFile, from path: String, of step: SortingStep
  ) throws {
    let (source, home) = (try tree.folder(path), try tree.folder(step.folder))
    let policy = tree.policy(step.account)
    let seen = try source.facts(edited)
    if try !source.holdsSame(edited, as: standIn, in: home) {
      try home.replace(
        standIn, withCopyOf: edited, in: source, asSeen: home.facts(standIn), policy: policy)
    }
    let name = edited.fileName
    _ = try home.setFlags(
      name.flags, keywordLetters: name.keywordLetters, of: standIn, policy: policy)
    try home.syncDirectories()
    try source.unlink(edited, asSeen: seen)
    outcome.folders.insert(step.folder)
    outcome.steps.append(step)
  }

  private func rename(
    _ moved: MessageFile, as base: [UInt8], in home: MaildirFolder, _ policy: MaildirPolicy
  ) throws {
    // A clash gave it another name; one that was rewritten since keeps its new one.
    if RewrittenName.original(of: moved.base) != RewrittenName.original(of: base),
      try tree.locate(base, in: home, guess: nil) == nil
    {
      _ = try home.rename(moved, base: base, policy: policy)
    }
  }

  private mutating func keep(_ step: SortingStep, _ reason: String) {
    kept.append(step)
    leave(step, reason)
  }

  private mutating func leave(_ step: SortingStep, _ reason: String) {
    outcome.problems.append((step.name, reason.withoutPeriod))
  }
}
