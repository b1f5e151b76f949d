import MailCore

/// What keeps a whole push from beginning.
package enum PushError: Error, Equatable {
  /// There is no tree to push.
  case neverPulled
  /// There was one, and nothing is left of it.
  case vanished(path: String)
  /// The tree came back from elsewhere: it has to be matched first.
  case needsPull
  /// There are folders, and no state of them.
  case stateLost
  /// For those who only look: a pull is giving a folder another place, or was cut off while it did.
  case foldersMoving
  /// The files carry their keywords in another way than the settings say.
  case keywordsKeptOtherwise(String)
}

extension PushError: Explained {
  package var explanation: Explanation {
    switch self {
    case .neverPulled:
      Explanation(
        problem: "This account was never pulled: there is nothing to push.",
        again: "Run `mirror pull` first.", exitStatus: .inPart)
    case .vanished(let path):
      Explanation(
        problem:
          "The mail that was kept in \(path.visible) is gone, folders and state: nothing was pushed, and "
          + "nothing counts as deleted.",
        remedy:
          "Mount it or put it back. To begin anew instead, run `mirror pull`: it brings everything from "
          + "the server.", exitStatus: .refused)
    case .needsPull:
      Explanation(
        problem: "The tree and its state do not belong together: they have to be matched first.",
        remedy: "Run `mirror pull`: the tree is matched with the server; then push.",
        exitStatus: .inPart)
    case .stateLost:
      Explanation(
        problem: "The account's state is lost: what lies here has to be matched with the server.",
        remedy: "Run `mirror pull`, which does that, and downloads nothing again.",
        exitStatus: .inPart)
    case .foldersMoving:
      Explanation(
        problem:
          "A run is giving a folder another place, or was cut off while it did: what another would do "
          + "shows only behind that.",
        remedy: "Look again when it is through; if none is at work, run `mirror sync`.",
        exitStatus: .inPart)
    case .keywordsKeptOtherwise(let before):
      Explanation(
        problem:
          "The files here have their keywords kept as keywords = \"\(before)\", and the configuration says "
          + "otherwise: nothing was done, since every keyword would seem to be taken away.",
        remedy: "Set it back; to change it, pull into a fresh tree.", exitStatus: .configuration)
    }
  }
}
