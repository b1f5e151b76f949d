import SyncPlan

extension PushSurvey {
  /// Of folders that cannot be mirrored as they are called, or are out of reach.
  var folderNotes: [RunProblem] {
    badNames + changes.unmountedFolders.map(unmounted) + changes.unreadFolders.map(unread)
  }

  private var badNames: [RunProblem] {
    plan.doubled.map(\.problem)
      + changes.unnamedFolders.map { folder in
        RunProblem(
          problem:
            "The folder “\(folder.visible)” has a name that is no UTF-8, and becomes no mailbox: what "
            + "lies there stays here only.", remedy: "Rename it, then push again.")
      }
  }

  private func unmounted(_ mailbox: Int64) -> RunProblem {
    let record = mailboxes.first { $0.id == mailbox }
    return RunProblem(
      mailbox: name(mailbox),
      problem:
        "The folder is an empty directory (\((record?.folder ?? "").visible)): it looks as if a "
        + "disk is not mounted there. Nothing counts as deleted.",
      remedy: "Mount it. To delete its messages on the server, remove them there.")
  }

  private func unread(_ folder: String) -> RunProblem {
    RunProblem(
      problem:
        "The folder “\(folder.visible)” cannot be looked into: nothing of what lies there counts as "
        + "changed, moved or deleted.",
      remedy:
        "Look at its owner and its permissions, whether it has the directories cur, new and tmp, and whether a file "
        + "called .noindex hides it; then push again.")
  }
}
