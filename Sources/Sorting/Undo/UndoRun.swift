import Foundation
import MailCore
import Maildir
import State

/// Takes the last change back, as far as no push carried it out.
package struct UndoRun {
  private let tree: SortingTree
  private let undo: UndoFile
  private var outcome = SortingRun.Outcome()

  package init(_ tree: SortingTree) {
    self.tree = tree
    undo = UndoFile(root: tree.root)
  }

  /// - Throws: ``SortingError/nothingToUndo``.
  package func record() throws -> UndoRecord {
    guard let record = try undo.read() else { throw SortingError.nothingToUndo }
    return record
  }

  package mutating func perform(_ record: UndoRecord) throws -> SortingRun.Outcome {
    let pushed = try PushedSteps(record.steps, tree)
    for step in record.steps.reversed() {
      if pushed.contains(step) {
        leave(step, "it was pushed already; make the opposite change instead")
        continue
      }
      do {
        try takeBack(step)
      } catch let error as MaildirError where !error.stopsRun {
        leave(step, error.explanation.problem)
      }
    }
    try tree.sync(outcome.folders) { path in
      tree.policy(String(path.prefix { $0 != "/" })).fsync
    }
    try undo.remove()
    return outcome
  }

  private mutating func takeBack(_ step: SortingStep) throws {
    // A run that was killed does not tell how far it came: what is not where it would have put it was not done.
    let base = [UInt8](step.doneAs ?? step.base)
    let isDone = step.doneAs != nil
    switch step.action {
    case .mark(let before, let after):
      try unmark(step, isDone ? base : rewritten(step, base), before, after)
    case .move(let target): try putBack(step, base, from: target, isDone: isDone)
    case .setAside:
      try putBack(step, base, from: tree.asideFolder(step.account), isDone: isDone)
    }
  }

  /// A command that was killed rewrote a file, perhaps, and left no note of its new name.
  private func rewritten(_ step: SortingStep, _ base: [UInt8]) throws -> [UInt8] {
    let folder = try tree.folder(step.folder)
    let next = RewrittenName.next(after: base)
    let isThere = try tree.locate(base, in: folder, guess: nil) != nil
    return try !isThere && tree.locate(next, in: folder, guess: nil) != nil ? next : base
  }

  private mutating func unmark(
    _ step: SortingStep, _ base: [UInt8], _ before: FileMarks, _ after: FileMarks
  ) throws {
    let folder = try tree.folder(step.folder)
    guard var file = try tree.locate(base, in: folder, guess: nil) else {
      return leave(step, "it is no longer there")
    }
    let policy = tree.policy(step.account)
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
    finish(step)
  }

  private mutating func putBack(
    _ step: SortingStep, _ base: [UInt8], from source: String, isDone: Bool
  ) throws {
    let folder = try tree.folder(source)
    guard let file = try tree.locate(base, in: folder, guess: nil) else {
      if isDone { leave(step, "it is no longer there") }
      return
    }
    let policy = tree.policy(step.account)
    let home = try tree.folder(step.folder)
    let moved = try folder.move(file, to: home, policy: policy)
    if try tree.locate([UInt8](step.base), in: home, guess: nil) == nil {
      _ = try home.rename(moved, base: [UInt8](step.base), policy: policy)
    }
    if case .move(let target) = step.action { outcome.folders.insert(target) }
    finish(step)
  }

  private mutating func finish(_ step: SortingStep) {
    outcome.folders.insert(step.folder)
    outcome.steps.append(step)
  }

  private mutating func leave(_ step: SortingStep, _ reason: String) {
    outcome.problems.append((step.name, reason))
  }
}

/// Which steps the server knows of: the state agrees with them.
private struct PushedSteps {
  /// Account and folder below it, then base name.
  private var agreed: [String: [[UInt8]: MessageMarks]] = [:]

  init(_ steps: [SortingStep], _ tree: SortingTree) throws {
    for (account, steps) in Dictionary(grouping: steps, by: \.account) {
      guard let state = try tree.state(of: account) else { continue }
      defer { state.shut() }
      let names = Set(steps.map { [UInt8]($0.doneAs ?? $0.base) })
      let folders = Set(steps.compactMap(\.resultFolder))
      for mailbox in try state.mailboxes() {
        let path = mailbox.folder.isEmpty ? account : account + "/" + mailbox.folder
        guard let id = mailbox.id, folders.contains(path) else { continue }
        try state.forEachMessage(in: id) { record in
          if names.contains(record.name) { agreed[path, default: [:]][record.name] = record.agreed }
        }
      }
    }
  }

  func contains(_ step: SortingStep) -> Bool {
    guard let folder = step.resultFolder, let done = step.doneAs,
      let marks = agreed[folder]?[[UInt8](done)]
    else { return false }
    switch step.action {
    case .mark(let before, let after):
      let changed = before.flags.symmetricDifference(after.flags)
      return marks.flags.intersection(changed) == after.flags.intersection(changed)
        && after.keywords.subtracting(before.keywords).subtracting(marks.keywords).isEmpty
        && before.keywords.subtracting(after.keywords).intersection(marks.keywords).isEmpty
    case .move: return true
    case .setAside: return false
    }
  }
}

extension SortingStep {
  /// Where the file lies once the step is done; nil for one that left the account's folders.
  fileprivate var resultFolder: String? {
    switch action {
    case .mark: folder
    case .move(let target): target
    case .setAside: nil
    }
  }
}
