import Foundation
import MailCore
import Maildir

/// Takes the last change back, as far as no push carried it out. What cannot be taken back now stays recorded.
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

  /// - Throws: ``SortingError/nothingToUndo``.
  package func record() throws -> UndoRecord {
    guard let record = try undo.read() else { throw SortingError.nothingToUndo }
    return record
  }

  /// - Throws: ``SortingError/busy`` where another command is at work, or has put its record in the place of this one.
  package mutating func perform(_ record: UndoRecord) throws -> SortingRun.Outcome {
    let isFirst = try tree.hold()
    defer { if isFirst { tree.letGo() } }
    guard try self.record() == record else { throw SortingError.busy }
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
    try tree.sync(outcome.folders) { path in
      tree.policy(String(path.prefix { $0 != "/" })).fsync
    }
    let wasDone = found.steps.contains { if case .undone = $0.1 { false } else { true } }
    try conclude(record, kept + left.map(\.0), wasDone: wasDone)
    if let failure { throw failure }
    return outcome
  }

  /// A command that was killed before it did anything gives way to the one before it.
  private func conclude(_ record: UndoRecord, _ left: [SortingStep], wasDone: Bool) throws {
    var rest = record
    rest.steps = left.reversed()  // They are taken back last to first.
    if !left.isEmpty { return try undo.write(rest) }
    if !wasDone, let earlier = record.earlier?.first { return try undo.write(earlier) }
    tree.forget(record.supersededFiles)
    try undo.remove()
  }

  private mutating func takeBack(_ step: SortingStep, _ fate: FoundSteps.Fate) throws {
    switch fate {
    case .undone: return
    case .pushed:
      let advice = "it was pushed already"
      guard step.action == .setAside else {
        return leave(step, advice + "; make the opposite change instead")
      }
      // Until the next command its file is all that is left of the message here.
      keep(step, advice + "; its file stays in \(step.account)/.mirror/undo until the next change")
    case .elsewhere(let path):
      keep(step, "it lies in \(path) by now; move it from there")
    case .lost: keep(step, "it is no longer there; another undo looks for it again")
    case .found(let path, let entry):
      switch step.action {
      case .mark(let before, let after): try unmark(step, entry.file, path, before, after)
      case .move, .setAside: try putBack(step, entry.file, from: path)
      }
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
    let moved = try folder.move(file, to: home, policy: policy)
    let base = [UInt8](step.base)
    // A clash gave it another name; one that was rewritten since keeps its new one.
    if RewrittenName.original(of: moved.base) != RewrittenName.original(of: base),
      try tree.locate(base, in: home, guess: nil) == nil
    {
      _ = try home.rename(moved, base: base, policy: policy)
    }
    if case .move(let target) = step.action { outcome.folders.insert(target) }
    outcome.folders.insert(step.folder)
    outcome.steps.append(step)
  }

  private mutating func keep(_ step: SortingStep, _ reason: String) {
    kept.append(step)
    leave(step, reason)
  }

  private mutating func leave(_ step: SortingStep, _ reason: String) {
    outcome.problems.append((step.name, reason.withoutPeriod))
  }
}
