import Foundation
import MailCore
import Maildir

/// One file's change, as it is planned, done, and kept to be taken back.
package struct SortingStep: Codable, Sendable, Equatable {
  package enum Action: Codable, Sendable, Equatable {
    case mark(before: FileMarks, after: FileMarks)
    /// Below the root.
    case move(to: String)
    /// Out of the account's folders, to where `undo` finds it.
    case setAside
  }

  /// The number that the index gave the message.
  package var message: Int64
  package var subject: String
  package var account: String
  /// Below the root, levels joined by slashes.
  package var folder: String
  package var folderName: String
  /// Of the file's name: names need not be UTF-8.
  package var base: Data
  package var action: Action
  /// Of a move: the folder as people call it, `personal/Archive`.
  package var target: String?
  /// Of what is set aside: another folder still has it.
  package var staysElsewhere: Bool?
  /// Of what is set aside: the file holds another text than the server's message, which comes in its place.
  package var isEdit: Bool?
  /// The keyword letters that the plan was made for.
  var letters: UInt32?
  /// Of a move, where keywords are letters: the keywords that the file has where it comes to. Its own letters may be of
  /// another folder's table, and are had back when the move is.
  var arrivesWith: FileMarks?
  /// The base name that the file has since; nil until the step is done.
  package var doneAs: Data?
  /// The file before the step, and after it once it is done: a step that was cut off is judged by it.
  package var file: FileIdentity?
  /// What server and tree had agreed on when the command was given; nil for what no server knew.
  package var agreed: AgreedMessage?

  init(_ chosen: ChosenFile, _ action: Action, _ file: MessageFile? = nil, target: String? = nil) {
    message = chosen.message
    subject = chosen.subject
    account = chosen.account
    folder = chosen.folder.text
    folderName = chosen.folderName
    base = Data(chosen.file.base)
    self.action = action
    self.target = target
    letters = file?.fileName.keywordLetters.rawValue
  }
}

/// Flags and keywords of a file, in a form that can be kept.
package struct FileMarks: Codable, Sendable, Equatable {
  private var flagBits: UInt8
  private var keywordNames: [String]

  init(flags: MessageFlags, keywords: Keywords) {
    flagBits = flags.rawValue
    keywordNames = Array(keywords)
  }

  package var flags: MessageFlags { MessageFlags(rawValue: flagBits) }
  package var keywords: Keywords { Keywords(keywordNames) }
}
