import MailCore

/// Why a command that sorts mail does nothing, or not all.
package enum SortingError: Error, Equatable {
  case noChange
  case noQuery
  case badKeyword(String)
  case contrary(String)
  case unknownFolder(String, account: String, nearest: String?)
  case badFolderName(String)
  case noSpecialUse(SpecialUse, account: String)
  case gmailArchive(account: String)
  case keywordsOff(account: String)
  case nothingToUndo
  case undoFromElsewhere(path: String, String)
  case busy
  /// Another command came between the question and the answer.
  case overtaken
}

extension SortingError: Explained {
  package var explanation: Explanation {
    switch self {
    case .noChange:
      words(
        "Say what to change.",
        "For example: mirror flag +seen -flagged from:alice.")
    case .noQuery:
      words("Say which messages are meant.", "mirror-search(7) describes the language.")
    case .badKeyword(let name):
      words(
        "“\(name)” is no flag, and servers take no such keyword.",
        "Flags are seen, flagged, answered, draft and forwarded; a keyword has ASCII letters, digits and signs, no "
          + "blanks, brackets or quotes.")
    case .contrary(let name):
      words("“\(name)” is to be set and taken away at once.", "Leave one of them out.")
    case .unknownFolder(let name, let account, let nearest):
      words(
        "The account \(account) has no folder “\(name)”.",
        (nearest.map { "Did you mean “\($0)”? " } ?? "") + "With --create it is made.")
    case .badFolderName(let name):
      words(
        "“\(name)” cannot be the name of a folder: servers take no such mailbox.",
        "Levels have slashes between, as in Archive/2025; none is empty, “.” or “..”, and wildcards are none of a name."
      )
    case .noSpecialUse(let use, let account):
      words(
        "The account \(account) has no \(use.rawValue) folder here.",
        "Mirror the mailbox, or name a folder, which --create makes: mirror move --create FOLDER QUERY."
      )
    case .gmailArchive(let account):
      words(
        "In \(account), archived mail is what only All Mail holds, and All Mail cannot be used for that here.",
        "Pull first. If that does not help, let Gmail show All Mail in IMAP (its settings, under Labels); where its "
          + "folder here holds mail, name it in `folders`, or remove the files.")
    case .keywordsOff(let account):
      words(
        "The account \(account) keeps no keywords (keywords = \"none\").",
        "Change that in the configuration, or use flags only.")
    case .nothingToUndo: words("There is nothing to take back.", nil, .inPart)
    case .undoFromElsewhere(let path, let problem):
      words(
        "The record \(path.visible) of a change cannot be read: \(problem.withoutPeriod). It is passed over.",
        "What it is about stays as it is; remove the file, and undo says no more of it.", .inPart)
    case .busy:
      words(
        "Another command is changing mail in this tree.",
        "Nothing was changed. Wait until it is done and run again.", .busy)
    case .overtaken:
      words(
        "Another command has changed mail since you were asked.",
        "Nothing was taken back. Run undo again to be asked about that one.", .busy)
    }
  }

  private func words(
    _ problem: String, _ remedy: String?, _ status: ExitStatus = .usage
  ) -> Explanation {
    Explanation(problem: problem, remedy: remedy, exitStatus: status)
  }
}
