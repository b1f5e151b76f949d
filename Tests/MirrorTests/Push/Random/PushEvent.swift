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

  // The program.
  /// A sync begins; what follows happens while it is at work.
  case start
  case pause(milliseconds: Int)
  /// A run whose connection is cut for good after so many bytes; a whole one where there is no number.
  case cut(push: Bool, down: Int?, up: Int?)
  /// To the end, and looked at.
  case sync

  /// The message or draft that it is about.
  var token: String? {
    switch self {
    case .deliver(let token, _, _), .store(let token, _, _), .expunge(let token),
      .moveThere(let token, _), .copyThere(let token, _), .draft(let token, _),
      .replaceDraft(let token, _), .expungeDraft(let token), .mark(let token, _, _),
      .move(let token, _), .save(let token, _), .copy(let token, _), .remove(let token),
      .write(let token, _), .editDraft(let token, _):
      token
    case .makeMailbox, .renumber, .makeFolder, .start, .pause, .cut, .sync: nil
    }
  }

  /// By the reader; nil where it is the program that acts.
  var isHere: Bool? {
    switch self {
    case .deliver, .store, .expunge, .moveThere, .copyThere, .makeMailbox, .renumber, .draft,
      .replaceDraft, .expungeDraft:
      false
    case .mark, .move, .save, .copy, .remove, .write, .makeFolder, .editDraft: true
    case .start, .pause, .cut, .sync: nil
    }
  }
}

/// What was told, from the first event on: enough to tell it again.
struct PushStory: Codable, Sendable {
  /// Which of ``PushWorld/servers`` it plays on.
  var server: Int
  var events: [PushEvent] = []
}
