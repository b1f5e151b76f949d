import MailCore

/// Why a message stays a stub, or whole.
package enum OnDemandError: Error, Equatable {
  /// The server does not have it any more.
  case expunged(String)
  /// Its file is in no folder, or not as it was left.
  case fileChanged(String)
  /// Its file lies nowhere under its name: it was moved or removed here, and a push will find out which.
  case moved(String)
  /// A person edited the file as it is, without the parts that are not here.
  case edited(String)
  /// What the server sent is not the message of which a part is here.
  case otherMessage(String)
  /// The server sends less or more than it announced, however it is asked.
  case incomplete(String, got: Int64, of: Int64)
  /// The server's words.
  case refused(String, words: String)
  /// The same, for now.
  case limited(String, words: String)
  /// The disk has less room than the message needs while it is fetched.
  case noRoom(String, size: Int64, free: UInt64)
  /// A file that lacks parts, of a message that the account's server is not known to have.
  case notOnRecord(String)
  /// A file that lacks parts, and that no record tells of by its name: where its parts are is not known.
  case unknownPart(String)
  /// A file that lacks parts, of a message that its folder has whole, where another with the same header and size may be
  /// meant.
  case leftOver(String)
  /// A file that has but a part of a message here, and something of its own.
  case leftOverText(String)
  /// A stub that was found, and has something of its own, made way for its whole message, and lies beside it.
  case keptBeside(String)
  /// Nothing of it can stay on the server.
  case noParts(String)
  /// `on-demand` says that all parts come.
  case isOff
}

extension OnDemandError: Explained {
  package var explanation: Explanation {
    switch self {
    case .expunged(let file):
      Explanation(
        problem: "“\(file.visible)”: the server does not have the message any more.",
        remedy: "The next pull removes what is here of it.", exitStatus: .inPart)
    case .fileChanged(let file):
      Explanation(
        problem: "“\(file.visible)” is not as it was pulled, or not there: it stays as it is.",
        remedy: "Run `mirror push`, then try again.", exitStatus: .inPart)
    case .moved(let file):
      Explanation(
        problem: "“\(file.visible)” was moved or removed here, and no push has followed it yet.",
        remedy:
          "Run `mirror push`; what is to be filled, the next pull fills. In another account it cannot be filled: put it "
          + "back first.",
        exitStatus: .inPart)
    case .edited(let file):
      Explanation(
        problem: "“\(file.visible)” was edited here, without its parts: it stays as it is.",
        remedy: "`mirror revert` gives the edit up; then it can be filled.", exitStatus: .inPart)
    case .otherMessage(let file):
      Explanation(
        problem: "“\(file.visible)”: what the server sent has another header than what is here.",
        remedy: "Run `mirror pull`, then try again.", exitStatus: .inPart)
    case .incomplete(let file, let got, let size):
      Explanation(
        problem:
          "“\(file.visible)”: \(got) bytes came of the \(size) that the server announced; nothing was changed.",
        again: "Try again later.",
        remedy: "Where the server counts wrong, set quirks = [\"wrong-sizes\"].",
        exitStatus: .inPart)
    case .refused(let file, let words):
      Explanation(
        problem: "“\(file.visible)”: the server refuses the message: \(words.visible)",
        again: "Try again later.", exitStatus: .inPart)
    case .limited(let file, let words):
      Explanation(
        problem: "“\(file.visible)”: the server does not send the message now: \(words.visible)",
        remedy: "The next pull asks for it again. `mirror stub` takes the wish back.",
        exitStatus: .inPart)
    case .noRoom(let file, let size, let free):
      Explanation(
        problem:
          "“\(file.visible)”: the message has \(Quantities.bytes(size)), and the disk too little room to fetch it and keep "
          + "some free (\(Quantities.bytes(Int64(clamping: free))) are left): it stays a stub.",
        remedy: "Make room; the next pull fills it. `mirror stub` takes the wish back.",
        exitStatus: .inPart)
    case .notOnRecord(let file):
      Explanation(
        problem:
          "“\(file.visible)” has but a part of a message, and this account's server is not known to have that message.",
        remedy:
          "If it came from another account, put it back there (`mirror revert` brings one back, too) and fill it there.",
        exitStatus: .inPart)
    case .unknownPart(let file):
      Explanation(
        problem:
          "“\(file.visible)” has but a part of a message, and it is not known of which of the account's.",
        remedy:
          "If it was moved or renamed here, run `mirror push` first. Where the message is here whole as well, the part is "
          + "in that file, and `mirror fill` removes this one.",
        exitStatus: .inPart)
    case .leftOver(let file):
      Explanation(
        problem:
          "“\(file.visible)” has but a part of a message that its folder has whole, or of another with the same header: it "
          + "stays.",
        remedy: "Fill the others (`mirror fill`), and try again; or remove the file.",
        exitStatus: .inPart)
    case .leftOverText(let file):
      Explanation(
        problem:
          "“\(file.visible)” has but a part of a message that its folder has whole, and something besides: it stays.",
        remedy: "Copy what you wrote there elsewhere, and remove the file.", exitStatus: .inPart)
    case .keptBeside(let file):
      Explanation(
        problem:
          "A message that is whole now was here in part, and something besides: that file is kept beside it as "
          + "“\(file.visible)”.",
        remedy: "Copy what you wrote there elsewhere, and remove the file.", exitStatus: .inPart)
    case .noParts(let file):
      Explanation(
        problem: "“\(file.visible)”: no part of it can stay on the server.", remedy: nil,
        exitStatus: .inPart)
    case .isOff:
      Explanation(
        problem: "All parts of messages are kept here: on-demand is \"never\".",
        remedy: "Set on-demand = \"1MB\" in [accounts.NAME.sync].", exitStatus: .configuration)
    }
  }
}
