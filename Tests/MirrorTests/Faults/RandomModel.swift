import MailTestKit

/// What one message ought to be on both sides, tracked apart from the program.
struct RandomMessage {
  /// Who may move it, take it away or edit it; flags and keywords are everybody's.
  enum Side: CaseIterable { case server, reader, both }

  /// A file that no message of the server's belongs to any more: it waits here as a local message.
  struct Stray {
    var folder: String
    var marks: Set<String>
    var isEdited: Bool
  }

  let token: String
  let side: Side
  /// Where the server has it; nil once expunged.
  var mailbox: String?
  /// On the server, in lower case.
  var remote: Set<String>
  /// What both sides agreed on in the last pull; nil before the first.
  var agreed: Set<String>?
  var agreedMailbox: String?
  /// What the tree ought to show; nil where it is gone.
  var local: Set<String>?
  /// Where its file lies, under the name that the folder has here.
  var folder: String?
  /// The server moved it since the last pull: it comes under a new UID.
  var hasMoved = false
  var wasEdited = false
  var strays: [Stray] = []
  /// Both sides wanted it elsewhere: from then on the reader leaves it alone.
  var wasContested = false
  /// It came to where an edited file of it lay. That one may pass for it, or stay beside it: the header is the same, the
  /// text is not.
  var mayBeTheEdited = false

  init(token: String, side: Side, mailbox: String, flags: [String]) {
    self.token = token
    self.side = side
    self.mailbox = mailbox
    remote = Set(flags.map { $0.lowercased() })
  }

  /// The server took it away from where the tree has it.
  var isLeaving: Bool { agreed != nil && (mailbox == nil || hasMoved) }

  var files: Int { strays.count + (local == nil ? 0 : 1) }

  /// What a complete pull does to it.
  ///
  /// - Returns: whether it kept an edited file whose message went, which it has to report.
  mutating func pulled(_ renames: FolderRenames) -> Bool {
    folder = folder.map(renames.newName)
    for index in strays.indices { strays[index].folder = renames.newName(strays[index].folder) }
    defer {
      agreed = mailbox == nil ? nil : remote
      agreedMailbox = mailbox
      hasMoved = false
    }
    guard let agreed, let place = agreedMailbox.map(renames.newName) else {
      if let mailbox, local == nil { (local, folder) = (remote, mailbox) }
      return false
    }
    if isLeaving { return left(place, agreed) }
    // What the reader took away stays away: a push will say so.
    if let known = local { local = Self.merged(remote, known, agreed) }
    return false
  }

  /// The file goes, unless a person moved or edited it; what waits for a push, in it or by its new place, follows the
  /// message to where the server has it now.
  private mutating func left(_ place: String, _ agreed: Set<String>) -> Bool {
    var adoptable = strays
    if let mailbox, let known = local, let folder, folder != place, folder != mailbox, !wasEdited,
      !strays.contains(where: { $0.folder == mailbox })
    {
      // Both moved it: it is where the reader put it, and a push moves it there from where the server has it now.
      wasContested = true
      local = Self.merged(remote, known, agreed)
      return false
    }
    var pending = (marks: agreed, isKept: false)
    if let known = local, let folder {
      let isAway = folder != place
      if isAway || wasEdited {
        let stray = Stray(folder: folder, marks: known, isEdited: wasEdited)
        strays.append(stray)
        if isAway { adoptable.append(stray) }
        pending.isKept = !isAway
        wasContested = true
      } else {
        pending.marks = known
      }
    } else {
      wasContested = true
    }
    (local, folder, wasEdited) = (nil, nil, false)
    guard let mailbox else { return pending.isKept }
    var arrived = remote
    let waiting = adoptable.filter { $0.folder == mailbox }
    if let found = waiting.first(where: { !$0.isEdited }) {
      // A file that lies there already is this message: it is not downloaded, and loses no mark.
      strays.removeAll { $0.folder == mailbox && !$0.isEdited }
      arrived.formUnion(found.marks)
    } else {
      mayBeTheEdited = !waiting.isEmpty
    }
    local = Self.merged(arrived, pending.marks, agreed)
    folder = mailbox
    return pending.isKept
  }

  /// Looks which of the two ways was taken where both are right.
  mutating func settle(in tree: MaildirTree) {
    defer { mayBeTheEdited = false }
    guard mayBeTheEdited, let folder, let known = local,
      let at = strays.firstIndex(where: { $0.folder == folder && $0.isEdited })
    else { return }
    let found = tree[folder].filter { contains($0.raw, Array("<\(token)@".utf8)) }
    guard found.count == 1, found.allSatisfy(Self.isEdited) else { return }
    local = known.union(strays.remove(at: at).marks)
    wasEdited = true
  }

  private static func merged(_ remote: Set<String>, _ local: Set<String>, _ agreed: Set<String>)
    -> Set<String>
  {
    remote.union(local.subtracting(agreed)).subtracting(agreed.subtracting(local))
  }

  /// Differences between its files and what they ought to be.
  func problems(in tree: MaildirTree) -> [String] {
    var found = tree.messages.filter { contains($0.raw, Array("<\(token)@".utf8)) }
    var expected = strays
    if let local, let folder {
      expected.append(Stray(folder: folder, marks: local, isEdited: wasEdited))
    }
    let missing = expected.filter { expected in
      let place = found.firstIndex {
        $0.folder == expected.folder && Self.isEdited($0) == expected.isEdited
          && Self.marks(of: $0) == expected.marks
      }
      if let place { found.remove(at: place) }
      return place == nil
    }
    return missing.map { "\(token) ought to be \(Self.told($0.folder, $0.marks, $0.isEdited))" }
      + found.map {
        "\(token) is \(Self.told($0.path, Self.marks(of: $0), Self.isEdited($0)))"
      }
  }

  private static func told(_ place: String, _ marks: Set<String>, _ isEdited: Bool) -> String {
    "at \(place) \(marks.sorted())\(isEdited ? " edited" : "")"
  }

  private static func isEdited(_ file: LocalMessage) -> Bool {
    contains(file.raw, Array("edited here".utf8))
  }

  private static func marks(of file: LocalMessage) -> Set<String> {
    var marks = Set(file.keywords().map { $0.lowercased() })
    for (flag, letter) in letters where file.flags.contains(letter) { marks.insert(flag) }
    return marks
  }

  static let letters: [(String, Character)] = [
    ("\\seen", "S"), ("\\flagged", "F"), ("\\answered", "R"), ("\\draft", "D"), ("\\deleted", "T"),
    ("$forwarded", "P"),
  ]
}

/// A message that the reader wrote: no server has it, so no pull has any business with it.
struct RandomDraft {
  let token: String
  var folder: String
  let flags: String
  let bytes: [UInt8]

  func problems(in tree: MaildirTree) -> [String] {
    let found = tree.messages.filter { contains($0.raw, Array("<\(token)@".utf8)) }
    guard found.count == 1, let file = found.first else {
      return ["\(token) was written to \(folder), and is at \(found.map(\.path))"]
    }
    var problems: [String] = []
    if file.folder != folder || file.base != token || file.flags != flags {
      problems.append("\(token) was written to \(folder) as \(flags), and is \(file.path)")
    }
    if file.raw != bytes { problems.append("\(file.path): not the bytes that were written") }
    return problems
  }
}

/// The mailboxes that were renamed since the last pull, in order.
struct FolderRenames {
  private var renames: [(old: String, new: String)] = []

  mutating func add(_ old: String, _ new: String) { renames.append((old, new)) }

  func newName(_ folder: String) -> String {
    renames.reduce(folder) { $0 == $1.old ? $1.new : $0 }
  }

  /// Mailboxes under a name that no pull has met yet.
  func contains(_ mailbox: String) -> Bool { renames.contains { $0.new == mailbox } }
}
