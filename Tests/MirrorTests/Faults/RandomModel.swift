import MailTestKit

/// What one message ought to be on both sides, tracked apart from the program.
struct RandomMessage {
  let token: String
  /// Where the server has it; nil once expunged.
  var mailbox: String?
  /// On the server, in lower case.
  var remote: Set<String>
  /// What both sides agreed on in the last pull; nil before the first.
  var agreed: Set<String>?
  var agreedMailbox: String?
  /// What the tree ought to show; nil where it is gone.
  var local: Set<String>?
  var folder: String?
  /// The server moved it since the last pull: it comes under a new UID.
  var hasMoved = false
  /// A person moved the file to another folder.
  var wasMovedHere = false
  var wasRemovedHere = false
  var wasEdited = false
  /// Marks that waited here when the server moved the message away may stay or go.
  var acceptsRemoteMarks = false
  /// The folder it was put into belongs to a mailbox that was renamed.
  var liesAnywhere = false

  init(token: String, mailbox: String, flags: [String]) {
    self.token = token
    self.mailbox = mailbox
    remote = Set(flags.map { $0.lowercased() })
  }

  /// What a complete pull does to it.
  mutating func pulled() {
    defer {
      agreed = mailbox == nil ? nil : remote
      agreedMailbox = mailbox
      hasMoved = false
    }
    guard let mailbox else {
      if agreed != nil { (local, folder) = (nil, nil) }
      return
    }
    guard let agreed, let known = local, !wasRemovedHere else {
      if self.agreed == nil { (local, folder) = (remote, mailbox) }
      return
    }
    acceptsRemoteMarks = acceptsRemoteMarks || hasMoved && known != agreed
    let added = known.subtracting(agreed)
    let removed = agreed.subtracting(known)
    local = remote.union(added).subtracting(removed)
    if hasMoved || !wasMovedHere { folder = mailbox }
  }

  /// Differences between the file and what it ought to be.
  func problems(in tree: MaildirTree) -> [String] {
    let found = tree.messages.filter { contains($0.raw, Array("<\(token)@".utf8)) }
    guard let local, let folder else {
      return found.map { "\(token) ought to be gone, but is \($0.path)" }
    }
    guard found.count == 1, let file = found.first else {
      return ["\(token) ought to be once in \(folder), is at \(found.map(\.path))"]
    }
    var problems: [String] = []
    if file.folder != folder, !liesAnywhere { problems.append("\(file.path): not in \(folder)") }
    var marks = Set(file.keywords().map { $0.lowercased() })
    for (flag, letter) in Self.letters where file.flags.contains(letter) { marks.insert(flag) }
    if marks != local, !(acceptsRemoteMarks && marks == remote) {
      problems.append("\(file.path): \(marks.sorted()), not \(local.sorted())")
    }
    let edited = contains(file.raw, Array("edited here".utf8))
    if edited != wasEdited {
      problems.append("\(file.path): edit \(wasEdited ? "lost" : "appeared")")
    }
    return problems
  }

  static let letters: [(String, Character)] = [
    ("\\seen", "S"), ("\\flagged", "F"), ("\\answered", "R"), ("\\draft", "D"),
  ]
}
