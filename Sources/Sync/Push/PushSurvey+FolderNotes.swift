import MailCore

extension PushSurvey {
  /// Of folders that cannot be mirrored as they are called.
  var folderNotes: [RunProblem] {
    plan.doubled.map(\.problem)
      + changes.unnamedFolders.map { folder in
        RunProblem(
          problem:
            "The folder “\(folder.visible)” has a name that is no UTF-8, and becomes no mailbox: what "
            + "lies there stays here only.", remedy: "Rename it, then push again.")
      }
  }
}
