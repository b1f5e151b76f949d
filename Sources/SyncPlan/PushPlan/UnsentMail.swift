import MailCore

extension PushPlan {
  /// New mail in the folder of a mailbox that is gone from the server.
  package struct UnsentMail: Sendable, Equatable {
    package var folder: FolderPath
    package var count: Int

    package init(folder: FolderPath, count: Int) {
      self.folder = folder
      self.count = count
    }

    /// Without what was moved there from other mailboxes: that is reported as waiting.
    package func without(_ waiting: [WaitingChanges]) -> UnsentMail? {
      let moved = waiting.filter { wait in
        guard case .goneMailbox(let folder) = wait.reason else { return false }
        return self.folder == folder
      }
      let left = count - moved.reduce(0) { $0 + $1.count }
      return left > 0 ? UnsentMail(folder: folder, count: left) : nil
    }

    /// Reported on each push. No push can send it, so the push has not failed.
    package var problem: RunProblem {
      RunProblem(
        problem:
          "The folder “\(folder.text.visible)” is of a mailbox that the server no longer has, and holds "
          + "\(Quantities.count(count, "new message")): not sent.",
        remedy: "To send it, move it to another folder.", exitStatus: .done)
    }
  }
}
