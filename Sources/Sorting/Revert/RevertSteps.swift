import Foundation
import Ledger
import MailCore
import Maildir
import SyncPlan

/// A revert's files as steps that are done and recorded like those of a command, so that `undo` takes them back.
package struct RevertSteps {
  /// What people call a message, and the index's number of it.
  package struct Description: Sendable {
    package var message: Int64
    package var subject: String

    package init(message: Int64, subject: String) {
      self.message = message
      self.subject = subject
    }
  }

  private let plan: RevertPlan
  private let account: String
  /// By a file's folder, below the root; nil where no index knows the file.
  private let describe: (MessageFile, String) -> Description?

  package init(
    _ plan: RevertPlan, account: String,
    describe: @escaping (MessageFile, String) -> Description? = { _, _ in nil }
  ) {
    (self.plan, self.account, self.describe) = (plan, account, describe)
  }

  /// Marks come first: a file that is moved is marked where it is.
  package var steps: [SortingStep] {
    var steps: [SortingStep] = []
    for change in plan.marks {
      guard let folder = change.file?.folder ?? home(change.mailbox) else { continue }
      let file =
        change.file?.file ?? MessageFile(subdirectory: .cur, name: change.record.name)
      steps.append(
        step(
          file, in: folder, of: change.mailbox, number: steps.count,
          .mark(
            before: FileMarks(flags: change.local.flags, keywords: change.local.keywords),
            after: FileMarks(
              flags: change.record.agreed.flags, keywords: change.record.agreed.keywords))))
    }
    for move in plan.moves {
      guard let home = home(move.from) else { continue }
      var step = step(
        move.file.file, in: move.file.folder, of: move.file.mailbox, number: steps.count,
        .move(to: below(home).text), target: account + "/" + plan.name(move.from))
      if plan.keywordsAreLetters {
        step.arrivesWith = FileMarks(
          flags: [], keywords: move.record.agreed.keywords)
      }
      steps.append(step)
    }
    for edit in plan.edits {
      var step = step(
        edit.file.file, in: edit.file.folder, of: edit.mailbox, number: steps.count, .setAside)
      step.isEdit = true
      steps.append(step)
    }
    return steps
  }

  /// Does and records them.
  ///
  /// - Parameter command: as it was typed.
  package func carryOut(in tree: SortingTree, command: String) throws -> RevertedFiles {
    var files = RevertedFiles()
    let steps = steps
    guard !steps.isEmpty else { return files }
    // A tree without an index has no place for the record yet.
    try FileManager.default.createDirectory(
      atPath: tree.root + "/.mirror", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    var run = SortingRun(tree)
    let outcome = try run.perform(steps, command: command)
    files.actions = outcome.steps.map(action)
    files.problems = outcome.problems.map {
      RunProblem(problem: "\($0.subject) is left as it is: \($0.reason).")
    }
    return files
  }

  private func action(_ step: SortingStep) -> RevertAction {
    switch step.action {
    case .mark(let before, let after):
      let delta = MarkDelta(
        agreed: MessageMarks(flags: before.flags, keywords: before.keywords),
        local: MessageMarks(flags: after.flags, keywords: after.keywords))
      return RevertAction(.mark, mailbox: step.folderName, detail: delta.description)
    case .move(let path):
      let home = plan.mailboxes.values.first { $0.path(account) == path }
      return RevertAction(.move, mailbox: home?.name ?? path, detail: step.folderName)
    case .setAside: return RevertAction(.setAside, mailbox: step.folderName)
    }
  }

  private func home(_ mailbox: MailboxKey) -> FolderPath? {
    plan.mailboxes[mailbox]?.folder
  }

  private func below(_ folder: FolderPath) -> FolderPath {
    FolderPath(components: [account] + folder.components) ?? folder
  }

  private func step(
    _ file: MessageFile, in folder: FolderPath, of mailbox: MailboxKey?, number: Int,
    _ action: SortingStep.Action, target: String? = nil
  ) -> SortingStep {
    let known = describe(file, below(folder).text)
    let name = plan.name(mailbox)
    return SortingStep(
      ChosenFile(
        message: known?.message ?? -Int64(number + 1), subject: known?.subject ?? "",
        account: account, folder: below(folder),
        folderName: name.isEmpty ? folder.text : name, file: file, copies: []),
      action, file, target: target)
  }
}
