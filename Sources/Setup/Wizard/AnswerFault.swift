import MailCore

/// Why an answer is none; the question is asked again.
enum AnswerFault: Error {
  case address(EmailAddress.Mistake)
  case neitherYesNorNo
  case noChoice(of: Int)
  case notInList(upTo: Int)
  case nothing
  case noHost(String)
  case noTLSMode
  case unencrypted
  case noUser
  case folders(FolderChoice.Mistake)
  case noWindow
  case accountName(String)
  case account(WritingError)
  case noPath
  case noCommand

  /// A sentence for the person who typed it.
  var words: String {
    switch self {
    case .address(let mistake): mistake.words
    case .neitherYesNorNo: "Type y or n."
    case .noChoice(let count): count == 2 ? "Type 1 or 2." : "Type 1, 2 or 3."
    case .notInList(let count): "Type a number from 1 to \(count)."
    case .nothing: "Nothing was typed."
    case .noHost(let text):
      "“\(text)” is no host name. Type it as imap.example.org, or with a port as "
        + "imap.example.org:993."
    case .noTLSMode: "Type implicit, starttls or none."
    case .unencrypted:
      "Unencrypted is for servers on this machine only: type implicit or starttls."
    case .noUser: "A user's name is needed."
    case .folders(let mistake): mistake.words
    case .noWindow: "Type all, days such as 90d, or a size such as 5GB."
    case .accountName(let words): words
    case .account(.accountExists(let name, _)):
      "The configuration has an account “\(name)” already; to replace it, run this again "
        + "with --replace."
    case .account(let error): error.explanation.sentences
    case .noPath: "Type an absolute path, or one that begins with ~/."
    case .noCommand: "Type the command, as you would in a shell."
    }
  }
}
