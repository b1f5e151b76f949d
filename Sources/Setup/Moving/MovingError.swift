import MailCore

/// Why a tree is not taken over.
package enum MovingError: Error, Equatable, Sendable {
  /// Nothing says which tree is meant.
  case directoryNeeded(PeerTool)
  case noDirectory(String)
  /// There is no Maildir in it.
  case noMail(String)
  /// Several trees could be the account's.
  case ambiguous(account: String, trees: [String])
  case noSuchAccount(String, known: [String])
  /// No account of the configuration is that of the tree.
  case unmatched(tree: String, server: String?, accounts: [String])
  /// It lies in the account's own directory, and not as the account's layout has it.
  case misfit(account: String, directory: String, folder: String, fitting: String?)
  /// Mail put in now would be new mail to the next push.
  case alreadyPulled(account: String, directory: String)
  case otherFileSystem(from: String, to: String)
  case badMapping(String)
  case unreadable(String, reason: String)
  case emptyConfiguration(String)
  case longConfiguration(String)
  case largeDump(String)
  case noDump(String)
  case compressedDump(String)
  case programNotRun(String)
  case programFailed(String, words: String)
  case keywordsOff(account: String)
  case interrupted
}

extension MovingError: Explained {
  package var explanation: Explanation {
    switch self {
    case .directoryNeeded(let tool):
      Explanation(
        problem: "No configuration of \(tool.rawValue) tells where its tree lies.",
        remedy: "Name the directory: mirror adopt --from \(tool.rawValue) DIRECTORY.",
        exitStatus: .usage)
    case .noDirectory(let path):
      Explanation(
        problem: "There is no directory “\(path.visible)”.", remedy: "Check its name.",
        exitStatus: .usage)
    case .noMail(let path):
      Explanation(
        problem: "“\(path.visible)” holds no Maildir: no directory in it has cur, new and tmp.",
        remedy: "Name the directory that the folders lie in.", exitStatus: .usage)
    case .ambiguous(let account, let trees):
      Explanation(
        problem: "Several trees could be that of “\(account)”: "
          + "\(trees.joined(separator: ", ").visible).",
        remedy: "Name the directory of the one.", exitStatus: .usage)
    case .noSuchAccount(let name, let known):
      Explanation(
        problem: "There is no account “\(name.visible)”.",
        remedy: "The accounts are: \(known.joined(separator: ", ")).", exitStatus: .usage)
    case .unmatched(let tree, let server, let accounts):
      Explanation(
        problem: "None of the accounts is that of “\(tree.visible)”"
          + (server.map { " (\($0.visible))" } ?? "") + ".",
        remedy: "Say which it is with --account: \(accounts.joined(separator: ", ")).",
        exitStatus: .usage)
    case .misfit(let account, let directory, let folder, let fitting):
      Explanation(
        problem: "“\(directory.visible)” is the directory of the account “\(account)”, and “"
          + "\(folder.visible)” does not lie there as the account's layout has it.",
        remedy: (fitting.map { "With layout = \"\($0)\" for the account it would fit. Or rename" }
          ?? "Rename") + " the directory and adopt it from there: hard links need no room.",
        exitStatus: .configuration)
    case .alreadyPulled(let account, let directory):
      Explanation(
        problem: "The account “\(account)” was pulled already: what is put into its tree from now "
          + "on is new mail, which a push would send to the server.",
        remedy: "To adopt all the same, rename “\(directory.visible)”, adopt, and pull again.",
        exitStatus: .inPart)
    case .otherFileSystem(let from, let to):
      Explanation(
        problem: "“\(from.visible)” and “\(to.visible)” lie on different file systems, and no hard "
          + "link leads from one to the other.",
        remedy: "Take copies with --copy.", exitStatus: .usage)
    case .badMapping(let text):
      Explanation(
        problem: "“\(text.visible)” does not say which folder is which mailbox.",
        remedy: "Write FOLDER=MAILBOX, levels joined by slashes.", exitStatus: .usage)
    case .unreadable(let path, let reason):
      Explanation(
        problem: "“\(path.visible)” cannot be read: \(reason).", exitStatus: .usage)
    case .emptyConfiguration(let path): Self.unreadable(path, reason: "it is empty").explanation
    case .longConfiguration(let path):
      Self.unreadable(path, reason: "it is longer than 4 MB").explanation
    case .largeDump(let path):
      Self.unreadable(path, reason: "it is larger than 256 MB").explanation
    case .noDump(let name):
      Explanation(
        problem: "“\(name.visible)” is no output of notmuch dump.",
        remedy: "Make one with: notmuch dump --output=FILE.", exitStatus: .badData)
    case .compressedDump(let name):
      Explanation(
        problem: "“\(name.visible)” is compressed.", remedy: "Unpack it first, with gunzip.",
        exitStatus: .badData)
    case .programNotRun(let name):
      Self.programFailed(name, words: "it could not be run.").explanation
    case .programFailed(let name, let words):
      Explanation(
        problem: "\(name) failed: \(words.visible)",
        remedy: "Run it by hand to see why.", exitStatus: .inPart)
    case .keywordsOff(let account):
      Explanation(
        problem: "The account “\(account)” keeps no keywords (keywords = \"none\"), so tags have "
          + "no place in it.",
        remedy: "Set keywords = \"header\" for it, or leave --tags out.",
        exitStatus: .configuration)
    case .interrupted:
      Explanation(
        problem: "Broken off; what was taken over stays, and running it again goes on.",
        exitStatus: .interrupted)
    }
  }
}
