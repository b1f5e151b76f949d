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

    package init() {}
  }

  private let tree: SortingTree
  private let undo: UndoFile
  private var outcome = Outcome()

  package init(_ tree: SortingTree) {
    self.tree = tree
    undo = UndoFile(root: tree.root)
  }

  /// The record of the plan is on disk before the first file moves, so that a run that was killed can be taken back too.
  ///
  /// - Parameter command: as it was typed; nil for what is no change to take back, and leaves the last one's record.
  /// - Throws: what makes the whole impossible; what fails of single files is told in the outcome.
  package mutating func perform(_ steps: [SortingStep], command: String?) throws -> Outcome {
    guard !steps.isEmpty else { return outcome }
    var record = UndoRecord(command: command ?? "", made: Date(), steps: steps)
    if command != nil {
      let earlier = try? undo.read()
      try undo.write(record)
      if let earlier { forget(earlier) }
    }
    var failure: (any Error)?
    for index in record.steps.indices {
      do {
        record.steps[index].doneAs = try perform(record.steps[index]).map { Data($0) }
        if record.steps[index].doneAs != nil {
          outcome.steps.append(record.steps[index])
        } else {
          leave(record.steps[index], "it is no longer there")
        }
      } catch let error as MaildirError where !error.stopsRun {
        leave(record.steps[index], error.explanation.problem)
      } catch {
        failure = error
        break
      }
    }
    try tree.sync(outcome.folders) { path in
      tree.policy(String(path.prefix { $0 != "/" })).fsync
    }
    if command != nil { try undo.write(record) }
    if let failure { throw failure }
    return outcome
  }

  /// The base name that the file has then; nil where it is gone.
  private mutating func perform(_ step: SortingStep) throws -> [UInt8]? {
    let folder = try tree.folder(step.folder)
    let base = [UInt8](step.base)
    for _ in 0..<3 {
      guard let file = try tree.locate(base, in: folder, guess: nil) else { return nil }
      do {
        let done = try apply(step, to: file, in: folder)
        outcome.folders.insert(step.folder)
        return done.base
      } catch MaildirError.vanished {
        continue  // A reader renamed it just now.
      }
    }
    return nil
  }

  private mutating func apply(
    _ step: SortingStep, to file: MessageFile, in folder: MaildirFolder
  ) throws -> MessageFile {
    let policy = tree.policy(step.account)
    switch step.action {
    case .mark(let before, let after):
      let changed = before.flags.symmetricDifference(after.flags)
      var file = file
      if before.keywords != after.keywords {
        file = try folder.setKeywords(after.keywords, of: file, policy: policy).file
      }
      let flags = file.fileName.flags.subtracting(changed)
        .union(after.flags.intersection(changed))
      return try folder.setFlags(flags, of: file, policy: policy)
    case .move(let target):
      outcome.folders.insert(target)
      return try folder.move(file, to: tree.folder(target), policy: policy)
    case .setAside:
      let aside = try tree.folder(tree.asideFolder(step.account))
      let moved = try folder.move(file, to: aside, policy: policy)
      if policy.fsync { try aside.syncDirectories() }
      return moved
    }
  }

  /// What an earlier command set aside can no longer be taken back.
  private func forget(_ earlier: UndoRecord) {
    for step in earlier.steps where step.action == .setAside {
      guard let done = step.doneAs, let path = try? tree.asideFolder(step.account),
        let folder = try? tree.folder(path),
        let file = try? tree.locate([UInt8](done), in: folder, guess: nil)
      else { continue }
      _ = try? folder.unlink(file)
    }
  }

  private mutating func leave(_ step: SortingStep, _ reason: String) {
    outcome.problems.append((step.name, reason))
  }
}

extension SortingStep {
  /// For people.
  var name: String { subject.isEmpty ? "message \(message)" : "“\(subject)”" }
}
