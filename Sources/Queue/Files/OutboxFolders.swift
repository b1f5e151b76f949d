import Maildir

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The queue's directories below `.mirror`: `outbox` is a Maildir that any reader can open, and
/// `outbox/entries` holds what it must not take for messages.
final class OutboxFolders: Sendable {
  let outbox: QueueDirectory
  let tmp: QueueDirectory
  let new: QueueDirectory
  let cur: QueueDirectory
  let entries: QueueDirectory

  static let name = "outbox"
  static let entriesName = "entries"

  private init(
    outbox: QueueDirectory, tmp: QueueDirectory, new: QueueDirectory, cur: QueueDirectory,
    entries: QueueDirectory
  ) {
    self.outbox = outbox
    self.tmp = tmp
    self.new = new
    self.cur = cur
    self.entries = entries
  }

  /// Nil where nothing was ever queued.
  static func open(in control: Directory) throws(MaildirError) -> OutboxFolders? {
    guard control.descriptor >= 0,
      let outbox = try QueueDirectory.open(name, in: control.descriptor, path: control.path)
    else { return nil }
    return try open(outbox)
  }

  private static func open(_ outbox: QueueDirectory) throws(MaildirError) -> OutboxFolders? {
    func part(_ name: String) throws(MaildirError) -> QueueDirectory? {
      try QueueDirectory.open(name, in: outbox.descriptor, path: outbox.path)
    }
    guard let tmp = try part("tmp"), let new = try part("new"), let cur = try part("cur"),
      let entries = try part(entriesName)
    else { return nil }
    return OutboxFolders(outbox: outbox, tmp: tmp, new: new, cur: cur, entries: entries)
  }

  /// Makes what is missing, durably.
  static func create(in control: Directory) throws(MaildirError) -> OutboxFolders {
    if try QueueDirectory.make(name, in: control.descriptor, path: control.path) {
      let parent = try QueueDirectory.open(".", in: control.descriptor, path: control.path)
      try parent?.sync()
    }
    guard
      let outbox = try QueueDirectory.open(name, in: control.descriptor, path: control.path)
    else { throw .treeVanished(path: control.path + "/" + name) }
    var isNew = false
    for part in ["tmp", "new", "cur", entriesName]
    where try QueueDirectory.make(part, in: outbox.descriptor, path: outbox.path) {
      isNew = true
    }
    if isNew { try outbox.sync() }
    guard let folders = try open(outbox) else { throw .notMaildir(path: outbox.path) }
    return folders
  }

  /// `new` or `cur`.
  func directory(of file: QueueFile) -> QueueDirectory {
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
    if let bytes = try entries.read(EnvelopeFile.name(id), atMost: EnvelopeFile.limit),
      let envelope = try? EnvelopeFile.read(bytes)
    {
      let name = Array(id.baseName(queued: envelope.queued.seconds).utf8)
      if try new.open(name, O_RDONLY) != nil { return QueueFile(subdirectory: "new", name: name) }
    }
    return try messages()[id]
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
