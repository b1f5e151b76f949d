import Maildir

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The queue's directories below `.mirror`: `outbox` is a Maildir that any reader can open, and
/// `outbox/entries` holds what it must not take for messages.
final class OutboxFolders: Sendable {
  let outbox: Directory
  let tmp: Directory
  let new: Directory
  let cur: Directory
  let entries: Directory
  /// Whether `new` or `cur` had to be made: what lay in them may be on its way back.
  let lackedMessages: Bool

  static let name = "outbox"
  static let entriesName = "entries"
  /// Held for the moment of one change, by everybody who changes.
  static let changesLock = "changes.lock"
  /// Held by the one who sends, for as long as it does.
  static let senderLock = "sender.lock"

  /// What belongs in the outbox's directory.
  private static let parts = ["tmp", "new", "cur", entriesName]

  private init(_ outbox: Directory, lackedMessages: Bool = false) throws(MaildirError) {
    func part(_ name: String) throws(MaildirError) -> Directory {
      try outbox.directory(name) ?? .nowhere(path: outbox.path + "/" + name)
    }
    self.outbox = outbox
    tmp = try part("tmp")
    new = try part("new")
    cur = try part("cur")
    entries = try part(Self.entriesName)
    self.lackedMessages = lackedMessages
  }

  /// Nil where nothing was ever queued. A part that is missing counts as empty: copying programs and cleaners leave
  /// out, or take away, directories that nothing lies in, and what lies in the others still waits to be sent.
  static func open(in control: Directory) throws(MaildirError) -> OutboxFolders? {
    guard let outbox = try control.directory(name) else { return nil }
    return try OutboxFolders(outbox)
  }

  /// Makes what is missing, durably.
  static func create(in control: Directory) throws(MaildirError) -> OutboxFolders {
    if try control.makeDirectory(name) { try control.sync() }
    guard let outbox = try control.directory(name) else {
      throw .treeVanished(path: control.path + "/" + name)
    }
    return try OutboxFolders(outbox).whole()
  }

  private var isWhole: Bool { ![tmp, new, cur, entries].contains(where: \.isNowhere) }

  /// The same with all parts there: makes what is missing, durably.
  ///
  /// - Throws: `notMaildir` where something else stands in a part's place.
  func whole() throws(MaildirError) -> OutboxFolders {
    if isWhole { return self }
    // Records wait an hour for messages that a restore still brings, also where another program cleans up.
    if new.isNowhere || cur.isNowhere { try entries.touch(try entries.names()) }
    var made: Set<String> = []
    for part in Self.parts where try outbox.makeDirectory(part) { made.insert(part) }
    if !made.isEmpty { try outbox.sync() }
    let lacked = lackedMessages || !made.isDisjoint(with: ["new", "cur"])
    let folders = try OutboxFolders(outbox, lackedMessages: lacked)
    guard folders.isWhole else { throw .notMaildir(path: outbox.path) }
    return folders
  }

  /// `new` or `cur`.
  func directory(of file: QueueFile) -> Directory {
    file.subdirectory == "new" ? new : cur
  }

  /// The messages of ours that lie in `new` and `cur`, by id. A message that moves from `new` to
  /// `cur` meanwhile is seen in one of them: `cur` is read last.
  func messages() throws(MaildirError) -> [QueueID: QueueFile] {
    var found: [QueueID: QueueFile] = [:]
    for (subdirectory, directory) in [("new", new), ("cur", cur)] {
      for name in try directory.names() {
        guard let id = QueueID(fileName: name) else { continue }
        found[id] = QueueFile(subdirectory: subdirectory, name: name)
      }
    }
    return found
  }

  /// The message of this id: by the name that it was given, and only where a mail reader has moved it
  /// since by a look at all names.
  func message(_ id: QueueID) throws(MaildirError) -> QueueFile? {
    if let envelope = try envelope(id) {
      let name = Array(id.baseName(queued: envelope.queued.seconds).utf8)
      if try new.open(name, O_RDONLY) != nil { return QueueFile(subdirectory: "new", name: name) }
    }
    return try messages()[id]
  }

  /// Nil where there is none, or it is damaged.
  func envelope(_ id: QueueID) throws(MaildirError) -> SubmissionEnvelope? {
    guard let bytes = try entries.read(EnvelopeFile.name(id), atMost: EnvelopeFile.limit) else {
      return nil
    }
    return try? EnvelopeFile.read(bytes)
  }

  func write(_ phase: QueuePhase, of id: QueueID, durably: Bool) throws(MaildirError) {
    try entries.replace(PhaseFile.name(id), durably: durably) { PhaseFile.bytes(phase, file: $0) }
  }

  /// Ids that have an envelope.
  func envelopes() throws(MaildirError) -> [QueueID] { try ids(with: EnvelopeFile.suffix) }
  /// Ids that have a phase.
  func phases() throws(MaildirError) -> [QueueID] { try ids(with: PhaseFile.suffix) }

  private func ids(with suffix: String) throws(MaildirError) -> [QueueID] {
    let suffix = Array(suffix.utf8)
    return try entries.names().compactMap { name in
      guard name.count > suffix.count, name.suffix(suffix.count).elementsEqual(suffix) else {
        return nil
      }
      return QueueID(String(decoding: name.dropLast(suffix.count), as: UTF8.self))
    }
  }
}
