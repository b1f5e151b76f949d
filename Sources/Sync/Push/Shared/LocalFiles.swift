import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import SyncPlan

/// The tree's files that steps are about. A mail reader may be at work in it: each is looked for by its base name.
struct LocalFiles {
  let context: AccountContext

  /// Nil where the file is gone.
  func header(of file: UnknownFile) throws -> [UInt8]? {
    try context.folders.local(try context.folders.open(file.folder))
      .header(of: file.file.base, lastFlags: file.marks.flags)
  }

  /// A file's time is its message's INTERNALDATE; failing that, nothing is lost.
  func setDate(of file: UnknownFile, _ date: Int64) {
    guard file.modified != date else { return }
    guard (try? context.folders.open(file.folder).setModified(date, of: file.file)) == nil,
      let folder = try? context.folders.local(at: file.folder)
    else { return }
    // A reader gave it other flags just now.
    _ = try? folder.withFile(file.file) {
      try folder.setModified(date, of: $0)
    }
  }

  // MARK: Of steps, whose files this run need not have seen

  /// What ``setDate(of:_:)`` does for a file that this run has seen; here only its name is known.
  func setDate(ofFileOf step: PushStep) {
    guard !step.record.name.isEmpty, !context.isRehearsal else { return }
    _ = try? withFile(of: step) { file, folder in
      let modified = try folder.folder.facts(file).modified / 1_000_000_000
      guard modified != step.record.internalDate else { return }
      try folder.setModified(step.record.internalDate, of: file)
    }
  }

  func messageID(of step: PushStep) throws -> String? {
    let found = try withFile(of: step) { file, folder in
      MessageIDField.value(in: try folder.folder.header(of: file, policy: context.policy))
    }
    return found ?? nil
  }

  func isThere(_ step: PushStep) throws -> Bool {
    guard let folder = try context.folders.local(ofMailbox: step.target) else { return false }
    let name = try nameNow(of: step, in: folder)
    return try folder.locate(name, lastFlags: step.record.agreed.flags) != nil
  }

  /// Which messages of a mailbox have the files of these steps by now: a pull met them meanwhile.
  ///
  /// A step's file is known by its very name. Where a rewrite gave it another name with that stem, its message is newer than
  /// the step and has the step's content: older messages may have names with one stem, too.
  ///
  /// In one pass over all names of the mailbox, however many steps there are.
  func owners(of steps: [PushStep], in mailbox: MailboxKey) throws -> StepFileOwners {
    let named = steps.filter { !$0.record.name.isEmpty }
    guard !named.isEmpty else { return StepFileOwners() }
    let wanted = Dictionary(grouping: named, by: \.record.stem)
    let uidValidity = try context.state.mailbox(mailbox)?.uidValidity
    var owners = StepFileOwners()
    var exact = StepFileOwners()
    try context.state.forEachFile(in: mailbox) { uid, name, contentHash in
      guard let group = wanted[MessageStem(of: name)] else { return }
      let meant = group.filter { name.elementsEqual($0.record.name) }
      for step in meant { exact.add(uid, to: step) }
      guard meant.isEmpty else { return }
      for step in group where step.record.contentHash.mayBe(contentHash) {
        if let uid, step.uidValidity == uidValidity, uid.rawValue < step.uidNext { continue }
        owners.add(uid, to: step)
      }
    }
    owners.merge(exact)
    return owners
  }

  /// Nil where it is gone.
  private func withFile<Result>(
    of step: PushStep, _ body: (MessageFile, LocalFolder) throws -> Result
  ) throws -> Result? {
    guard let folder = try context.folders.local(ofMailbox: step.target) else { return nil }
    let name = try nameNow(of: step, in: folder)
    return try folder.withFile(name, lastFlags: step.record.agreed.flags) { try body($0, folder) }
  }

  /// The base name that a step's file has now: its keywords line may have been rewritten since.
  func nameNow(of step: PushStep, in folder: LocalFolder) throws -> [UInt8] {
    let (name, flags) = (step.record.name, step.record.agreed.flags)
    if try folder.locate(name, lastFlags: flags) != nil { return name }
    let stem = step.record.stem
    var rewritten: [[UInt8]] = []
    try FolderScan.forEachFile(in: folder.folder) { file in
      if file.stem == stem { rewritten.append(file.base) }
    }
    let found = try rewritten.first {
      try folder.holds(step.record.contentHash, in: $0, lastFlags: flags)
    }
    return found ?? name
  }
}

/// Whose files those of some steps are by now.
struct StepFileOwners {
  /// By the number of the step.
  var uids: [UInt32: UID] = [:]
  /// Steps whose file is that of a record whose UID lost its meaning.
  var orphaned: Set<UInt32> = []

  func has(_ step: PushStep) -> Bool { uids[step.number] != nil || orphaned.contains(step.number) }

  /// - Parameter uid: nil for a UID that lost its meaning.
  mutating func add(_ uid: UID?, to step: PushStep) {
    if let uid { uids[step.number] = uid } else { orphaned.insert(step.number) }
  }

  /// What `better` tells counts more.
  mutating func merge(_ better: StepFileOwners) {
    uids.merge(better.uids) { _, better in better }
    orphaned.formUnion(better.orphaned)
  }
}

extension LocalFolder {
  /// Nil where the file is gone.
  func header(of base: [UInt8], lastFlags: MessageFlags) throws -> [UInt8]? {
    try withFile(base, lastFlags: lastFlags) { try folder.header(of: $0, policy: policy) }
  }

  /// Whether a file is there and has this content.
  func holds(_ contentHash: ContentHash, in base: [UInt8], lastFlags: MessageFlags) throws -> Bool {
    try withFile(base, lastFlags: lastFlags) {
      try folder.digest(of: $0, policy: policy).contentHash == contentHash
    } ?? false
  }

  /// Unlinks a file, if it is what it ought to be.
  ///
  /// - Returns: whether it did.
  func unlink(
    _ base: [UInt8], lastFlags: MessageFlags, if isMeant: (MessageFile) throws -> Bool
  ) throws -> Bool {
    let isGone = try withFile(base, lastFlags: lastFlags) { file in
      let seen = try folder.facts(file)
      guard try isMeant(file) else { return false }
      try unlink(file, asSeen: seen)
      return true
    }
    try sync()
    return isGone ?? false
  }
}

extension MessageRecord {
  /// Of a message that is made of this file.
  init(_ file: UnknownFile, agreed: MessageMarks) {
    self.init(
      uid: UID(0), name: file.file.base, agreed: agreed, headerHash: file.digest.headerHash,
      contentHash: file.digest.contentHash, size: file.size, internalDate: file.modified)
    serverSize = Int64(clamping: file.digest.serverSize)
    nativeLabels = file.digest.nativeLabels
    take(file)
    traits.formUnion(file.digest.traits)
  }

  /// The message is now this file; marks are as they were agreed.
  mutating func take(_ file: UnknownFile) {
    follow(file.digest)
    name = file.file.base
    size = file.size
    if file.marks.keywords.isEmpty {
      traits.remove(.hasKeywordsLine)
    } else {
      traits.insert(.hasKeywordsLine)
    }
  }
}
