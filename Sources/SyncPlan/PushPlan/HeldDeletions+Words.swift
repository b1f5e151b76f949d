import Ledger
import MailCore

extension PushPlan.HeldDeletions {
  /// - Parameter name: of the mailbox.
  package func problem(in name: String) -> RunProblem {
    let what: String
    switch reason {
    case .halfOfFolder(let expected):
      what = "\(count) of \(expected) messages are gone from this folder"
    case .tooMany(let total):
      what = "\(gone) from this folder, \(total) in all"
    case .halfInDay(let inDay, let expected):
      what =
        "\(gone) from this folder, and with what pushes of the last 24 hours deleted "
        + "\(inDay) of \(expected)"
    case .tooManyInDay(let total):
      what =
        "\(gone) from this folder, and with what pushes of the last 24 hours deleted "
        + "\(total) in all"
    case .nothingLeft(let total):
      what =
        "\(gone) from this folder, and nothing is left of \(total) in all folders"
    case .folderGone:
      what = "The folder is gone, with \(Quantities.count(count, "message"))"
    case .folderReplaced:
      what =
        "\(gone) from this folder, and the folder is another directory than before, as if a "
        + "copy had been put in its place"
    case .unreadable(let file):
      return RunProblem(
        mailbox: name,
        problem:
          "\(gone) from this folder, and “\(file.visible)” cannot be "
          + "read, which may be one of them: nothing of it is deleted on the server.",
        remedy: "Make it readable (it keeps what is in it), then push again.")
    case .hidden(let folder):
      return RunProblem(
        mailbox: name,
        problem:
          "\(gone) from this folder, and may lie in “\(folder.visible)”, which can be no "
          + "mailbox's folder: nothing of it is deleted on the server.",
        remedy:
          "Give it a name in UTF-8, and cur, new and tmp, or move its mail to another; then push again."
      )
    case .earlier(let hold):
      what = "\(gone) from this folder, and \(hold.words)"
    }
    return RunProblem(
      mailbox: name, problem: what + ": nothing of it is deleted on the server.",
      remedy:
        "If that is what you want, push with --allow-mass-delete; if not, `mirror revert` brings them back, or put "
        + "the files back. Until then they wait.")
  }

  private var gone: String {
    count == 1 ? "1 message is gone" : "\(count) messages are gone"
  }
}

extension DeletionHold {
  /// What was seen when it began.
  fileprivate var words: String {
    switch cause {
    case .folder: "an earlier run found no folder there"
    case .replaced: "an earlier run found another directory in the folder's place"
    case .half: "an earlier run found \(count) of \(total) gone at once"
    case .many: "an earlier run found \(total) gone in all"
    case .halfInDay: "an earlier run found \(count) of \(total) gone within a day"
    case .manyInDay: "an earlier run found \(total) gone within a day"
    case .all: "an earlier run found nothing left of \(total) in all folders"
    }
  }
}
