import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How one file of another program's tree came into a folder of ours.
package enum FileTaking: Sendable, Equatable {
  case linked, copied
  /// It is here already, whatever its flags and keywords are now.
  case present
  case leftOut(reason: String)
  /// No hard link leads there: the trees lie on different file systems.
  case otherFileSystem
}

/// Takes message files of another tree into a folder, under the names that they have, by hard links or as copies.
///
/// What lies there already is never replaced, and nothing of the other tree changes but its files' link counts. Flags
/// and keywords that change here later change names and files of this tree only.
package struct FolderTaking {
  private let target: MaildirFolder
  private let copies: Bool
  private let isRehearsal: Bool
  private let policy: MaildirPolicy
  /// By the hash of their names without the mark of a rewrite.
  private var here: [NameHash: MessageFile]
  private var hasChanged: Set<Subdirectory> = []

  /// - Parameters:
  ///   - target: ``MaildirFolder/absent(_:in:)`` where a rehearsal would make it.
  ///   - isRehearsal: only tells what would come of it.
  package init(
    into target: MaildirFolder, copies: Bool, isRehearsal: Bool, policy: MaildirPolicy
  ) throws(MaildirError) {
    self.target = target
    self.copies = copies
    self.isRehearsal = isRehearsal
    self.policy = policy
    var here: [NameHash: MessageFile] = [:]
    try FolderScan.forEachFile(in: target) { file in here[Self.key(file)] = file }
    self.here = here
  }

  /// - Throws: what stops the whole run, and what nobody could foresee.
  package mutating func take(_ file: MessageFile, from source: MaildirFolder)
    throws(MaildirError) -> FileTaking
  {
    if let foreign = FolderEntries.foreign(file, in: source) {
      return .leftOut(reason: foreign.explanation.problem)
    }
    let key = Self.key(file)
    let taking: FileTaking
    do throws(MaildirError) {
      if let other = here[key] {
        let same = try isSame(other, file, of: source)
        return same ? .present : .leftOut(reason: "Another message here has its name.")
      }
      taking = try copies ? copy(file, from: source) : link(file, from: source)
    } catch {
      if case .vanished = error { return .leftOut(reason: Self.wentAway) }
      if error.stopsRun { throw error }
      return .leftOut(reason: error.explanation.problem)
    }
    if taking == .linked || taking == .copied {
      here[key] = file
      if !isRehearsal { hasChanged.insert(file.subdirectory) }
    }
    return taking
  }

  /// Makes what was taken durable.
  package mutating func finish() throws(MaildirError) {
    if policy.fsync, !hasChanged.isEmpty { try target.syncDirectories(hasChanged) }
    hasChanged = []
  }

  private static let wentAway = "It went away, or got another name, during the run."

  private static func key(_ file: MessageFile) -> NameHash {
    NameHash(of: RewrittenName.original(of: file.base))
  }

  /// One inode, or one message: a file that got a keywords line is another one since.
  private func isSame(_ own: MessageFile, _ file: MessageFile, of source: MaildirFolder)
    throws(MaildirError) -> Bool
  {
    let here = try target.facts(own)
    let original = try MessageSource.open(file, in: source, followsLinks: true)
    let there = original.facts
    if here.inode == there.inode, here.device == there.device { return true }
    let digest = try original.digest(behind: original.front(policy), asCame: nil, policy: policy)
    return try target.digest(of: own, policy: policy).contentHash == digest.contentHash
  }

  private func link(_ file: MessageFile, from source: MaildirFolder) throws(MaildirError)
    -> FileTaking
  {
    if isRehearsal { return .linked }
    let from = source.directory(of: file.subdirectory)
    let to = target.directory(of: file.subdirectory)
    // A symbolic link would lead elsewhere from here: its target is linked.
    let code = try file.name.withName { name throws(MaildirError) -> Int32 in
      linkat(from.descriptor, name, to.descriptor, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno
    }
    switch code {
    case 0: return .linked
    case EEXIST: return .leftOut(reason: "Another file here has its name.")
    case ENOENT: return .leftOut(reason: Self.wentAway)
    case EXDEV: return .otherFileSystem
    case EPERM, EACCES:
      return .leftOut(reason: "The system permits no hard link to it; --copy takes a copy.")
    case EMLINK, ENOTSUP, ENOSYS:
      return .leftOut(reason: "The file system makes no hard link to it; --copy takes a copy.")
    default:
      throw .failed(
        "link", to.path + "/" + file.name.forPeople, descriptor: to.descriptor, code: code)
    }
  }

  private func copy(_ file: MessageFile, from source: MaildirFolder) throws(MaildirError)
    -> FileTaking
  {
    if isRehearsal { return .copied }
    let original = try MessageSource.open(file, in: source, followsLinks: true)
    let part = try PartFile.create(in: target)
    do throws(MaildirError) {
      try original.copy(to: part)
      try part.setMode(original.facts.permissions)
      _ = try part.complete(modifiedNanoseconds: original.facts.modified)
      if policy.fsync { try part.sync() }
      let to = target.directory(of: file.subdirectory)
      if try target.tmp.rename(part.name, to: to, file.name) { return .copied }
    } catch {
      part.discard()
      throw error
    }
    part.discard()
    return .leftOut(reason: "Another file here has its name.")
  }
}
