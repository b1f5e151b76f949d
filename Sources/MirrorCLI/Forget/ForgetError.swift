import MailCore

/// Why an account is left as it is.
enum ForgetError: Error, Equatable {
  case badName(String, String)
  case pending(String, Losses)
  /// Since the first look.
  case pendingByNow(String, Losses)
  case watched(String)
  case sending(String)
  case nobodyToAsk(String)
  /// The account's directory is a symbolic link, or a disk of its own.
  case notInRoot(String, path: String, isLink: Bool)
  /// A folder that is a symbolic link, and leads to its mail only from where it lies.
  case relativeLink(String, target: String)
  /// What an interrupted removal put aside, and something new in its place.
  case placeTaken(String, path: String, aside: String)
  /// What came to its place meanwhile, and where it lies.
  case came(String, to: String)
  /// Behind the decision something stood in the way.
  case unfinished(String, Explanation)
}

extension ForgetError: Explained {
  var explanation: Explanation {
    switch self {
    case .badName(let name, let fault):
      Explanation(
        problem: "“\(name.visible)” is no account's name: it \(fault).",
        remedy: "Give the name as it stands in the configuration.", exitStatus: .usage)
    case .pending(let account, let losses):
      Explanation(
        problem:
          "\(account) has what would be lost: \(losses.reasons.joined(separator: ", ")). Nothing was removed.",
        remedy: losses.remedy, exitStatus: .inPart)
    case .pendingByNow(let account, let losses):
      Explanation(
        problem:
          "Meanwhile something came to \(account) that would be lost: \(losses.reasons.joined(separator: ", ")). "
          + "All is as it was.", remedy: losses.remedy, exitStatus: .inPart)
    case .watched(let account):
      Explanation(
        problem: "`mirror watch` watches \(account). Nothing was removed.",
        remedy: "Stop it, then run this again.", exitStatus: .busy)
    case .sending(let account):
      Explanation(
        problem: "Another run sends what \(account) has queued. Nothing was removed.",
        remedy: "Wait until it is done and run this again.", exitStatus: .busy)
    case .nobodyToAsk(let account):
      Explanation(
        problem: "There is no terminal to ask whether \(account) is to go. Nothing was removed.",
        remedy: "Run it with --yes.", exitStatus: .usage)
    case .notInRoot(let account, let path, let isLink):
      Explanation(
        problem:
          "\(path.visible) is \(isLink ? "a symbolic link" : "a disk of its own"): what is not in the mail "
          + "tree's own directory is not removed by this command, and nothing else was.",
        remedy:
          "Remove the tables of \(account) from the configuration and that directory by hand.",
        exitStatus: .refused)
    case .relativeLink(let path, let target):
      Explanation(
        problem:
          "\(path.visible) is a symbolic link with a relative path: put aside with the tree it would lead elsewhere. "
          + "Nothing was removed.",
        remedy:
          "Make it one to \(target.visible), or remove it (its mail stays there); then run this again.",
        exitStatus: .refused)
    case .placeTaken(let account, let path, let aside):
      Explanation(
        problem:
          "An interrupted `mirror forget` had put \(account) aside, in \(aside.visible), and there is something new "
          + "in \(path.visible). Nothing was removed.",
        remedy: "Move one of them away: the first is the account's whole tree.", exitStatus: .inPart
      )
    case .came(let path, let place):
      Explanation(
        problem: "What came to \(path.visible) meanwhile lies in \(place.visible) now.",
        remedy: "Look there.", exitStatus: .inPart)
    case .unfinished(let account, let words):
      Explanation(
        problem: "\(account) is not removed as a whole yet: \(words.problem)",
        remedy: (words.remedy.map { $0 + " " } ?? "")
          + "Then run `mirror forget \(account)` again.",
        exitStatus: words.exitStatus)
    }
  }
}
