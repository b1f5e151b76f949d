/// One thing that happens to an account, on either side, or one run of the program. Each stands by itself, so that a
/// story can be told again with parts left out.
enum PushEvent: Codable, Hashable, Sendable {
  // Another client, on the server.
  case deliver(String, to: String, marks: [String])
  case store(String, mark: String, sets: Bool)
  case expunge(String)
  case moveThere(String, to: String)
  case copyThere(String, to: String)
  case makeMailbox(String)
  /// UIDVALIDITY changes.
  case renumber(String)
  case draft(String, version: Int)
  case replaceDraft(String, version: Int)
  case expungeDraft(String)
  /// A mailbox gets another name, and an empty one is made under the old.
  case remake(String, as: String)
  /// The server's mark, `\\Trash` say, passes to another mailbox.
  case pass(String, to: String)
  /// A mailbox whose name is like another's, with one message that stays in it.
  case makeTwin(String, anchor: String)
  /// From now on the server names its mailboxes in another order.
  case reorder(seed: UInt64)

  // A mail reader, in the tree.
  case mark(String, mark: String, sets: Bool)
  /// Under the same name, as `mv` does.
  case move(String, to: String)
  /// Under a new name, as neomutt does.
  case save(String, to: String)
  case copy(String, to: String)
  case remove(String)
  case write(String, to: String)
  case makeFolder(String)
  case editDraft(String, version: Int)
  /// Changes the text of a message that is no draft.
  case edit(String)
  /// Puts a copy of a folder aside.
  case keepCopy(String)
  /// Puts that copy where the folder is.
  case putBack(String)
  /// Brings the files back that the older copy did not have.
  case bringBack(String)

  // The person goes to the other machine.
  /// The tree is carried there; with `.mirror`, too, where `whole`.
  case carry(whole: Bool)
  /// The other machine's tree is as it was left.
  case changeMachine

  // The program.
  /// A sync begins; what follows happens while it is at work.
  case start
  case pause(milliseconds: Int)
  /// A run whose connection is cut for good after so many bytes; a whole one where there is no number.
  case cut(push: Bool, down: Int?, up: Int?)
  /// A push that may carry out what it held back.
  case confirm
  /// To the end, and looked at.
  case sync

  /// The message or draft that it is about.
  var token: String? {
    switch self {
    case .deliver(let token, _, _), .store(let token, _, _), .expunge(let token),
      .moveThere(let token, _), .copyThere(let token, _), .draft(let token, _),
      .replaceDraft(let token, _), .expungeDraft(let token), .mark(let token, _, _),
      .move(let token, _), .save(let token, _), .copy(let token, _), .remove(let token),
      .write(let token, _), .editDraft(let token, _), .edit(let token):
      token
    case .makeMailbox, .renumber, .remake, .pass, .makeTwin, .reorder, .makeFolder, .keepCopy,
      .putBack, .bringBack, .carry, .changeMachine, .start, .pause, .cut, .confirm, .sync:
      nil
    }
  }

  /// By the reader; nil where it is neither side's.
  var isHere: Bool? {
    switch self {
    case .deliver, .store, .expunge, .moveThere, .copyThere, .makeMailbox, .renumber, .draft,
      .replaceDraft, .expungeDraft, .remake, .pass, .makeTwin, .reorder:
      false
    case .mark, .move, .save, .copy, .remove, .write, .makeFolder, .editDraft, .edit, .keepCopy,
      .putBack,
      .bringBack:
      true
    case .carry, .changeMachine, .start, .pause, .cut, .confirm, .sync: nil
    }
  }
}

/// What was told, from the first event on: enough to tell it again.
struct PushStory: Codable, Sendable {
  /// Which of ``PushServer/all`` it plays on.
  var server: Int
  var themes: Set<PushTheme> = []
  var events: [PushEvent] = []
}
