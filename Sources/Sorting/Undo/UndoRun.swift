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

  /// The change that comes next: the last one, unless an undo left it before and nothing of it can be taken back now.
  ///
  /// - Throws: ``SortingError/nothingToUndo``.
  package func record() throws -> UndoRecord {
    var left: UndoRecord?
    for number in undo.numbers {
      let record = try undo.read(number)
      if try record.wasTried != true || !survey(record).steps.isEmpty { return record }
      left = left ?? record
    }
    guard let left else { throw SortingError.nothingToUndo }
    return left
  }

  /// What can be taken back one after the other, the last first.
  package func records() throws -> [UndoRecord] { try undo.numbers.map(undo.read) }

  /// What of a record can be taken back now, and what stays for which reason. Changes nothing.
  package func survey(_ record: UndoRecord) throws -> (
    steps: [SortingStep], left: [(step: SortingStep, reason: String)]
  ) {
    var steps: [SortingStep] = []
    var left: [(step: SortingStep, reason: String)] = []
    for (step, fate) in try FoundSteps(record, tree).steps {
      switch fate {
      case .found, .copied: steps.append(step)
      case .undone: continue
      case .pushed, .elsewhere, .unreadable, .lost:
        left.append((step, reason(step, fate).withoutPeriod))
      }
    }
    return (steps, left)
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

  private func conclude(_ record: UndoRecord, _ left: [SortingStep]) throws {
    var rest = record
    rest.steps = left.reversed()  // They are taken back last to first.
    rest.wasTried = true
    if left.isEmpty { try undo.remove(record) } else { try undo.write(rest) }
  }

  // MARK: One step

  private mutating func takeBack(_ step: SortingStep, _ fate: FoundSteps.Fate) throws {
    switch fate {
    case .undone: return
    case .pushed:
      // What was deleted for good: its file is all that is left of the message here.
      if step.action == .setAside { kept.append(step) }
      leave(step, reason(step, fate))
    case .elsewhere, .unreadable, .lost: keep(step, reason(step, fate))
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
    case .found, .copied, .undone: ""
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
    var file = file
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
        file, to: home, policy: policy, keepsLetters: step.action == .setAside)
      try rename(moved, as: [UInt8](step.base), in: home, policy)
    }
    if case .move(let target) = step.action { outcome.folders.insert(target) }
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
