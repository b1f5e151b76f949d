import Ledger
import MailCore
import SyncPlan

extension PushSurvey {
  /// Of files that may be new mail, and cannot be read: a mailbox at a time.
  var unreadNotes: [RunProblem] {
    let folders = Dictionary(
      mailboxes.filter { !$0.isGone }.map { ($0.folder.text, $0.name) }, uniquingKeysWith: { $1 })
    // Behind the folder stand the subdirectory and the name.
    let files = Dictionary(grouping: Set(changes.unreadable)) { path in
      path.split(separator: "/", omittingEmptySubsequences: false).dropLast(2)
        .joined(separator: "/")
    }
    return files.sorted { $0.key < $1.key }.map { folder, files in
      let first = files.min() ?? ""
      return RunProblem(
        mailbox: folders[folder] ?? folder,
        problem: files.count == 1
          ? "1 file here cannot be read, and is not sent: “\(first)”."
          : "\(files.count) files here cannot be read, and are not sent: “\(first)” is the first.",
        remedy:
          "Look at \(files.count == 1 ? "its owner and its" : "their owners and") permissions, "
          + "then push again.")
    }
  }

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

  private func unmounted(_ mailbox: MailboxKey) -> RunProblem {
    let record = mailboxes.first { $0.id == mailbox }
    return RunProblem(
      mailbox: name(mailbox),
      problem:
        "The folder is an empty directory (\((record?.folder.text ?? "").visible)): it looks as if a "
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
