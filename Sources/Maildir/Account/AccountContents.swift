import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// All that lies in an account's directory, whichever program put it there: for a person who gives the account up. No
/// symbolic link is followed, and `.mirror` itself is left out.
package struct AccountContents {
  package enum Entry: Sendable, Equatable {
    /// A file in `new` or `cur` of a directory, below the account's own; or one that a killed run put aside in `tmp`.
    case message(folder: String, baseHash: NameHash)
    /// What is neither a message nor a file by which mail programs keep their folders; its path below the account's
    /// directory.
    case foreign(path: String, Foreign)
    /// A link by which mail that lies elsewhere is a part of the account's.
    case linked(LinkedMail)
  }

  package enum Foreign: Sendable, Equatable {
    case file, link
    /// A directory on another disk.
    case disk
    /// A directory among messages, a pipe, a socket.
    case other
  }

  private let device: UInt64
  private let root: String
  private var found: [Entry] = []

  /// The messages of a folder one after the other.
  package static func all(in directory: Directory) throws(MaildirError) -> [Entry] {
    var contents = AccountContents(
      device: try directory.facts().device, root: directory.path)
    try contents.look(into: directory, [])
    return contents.found
  }

  private init(device: UInt64, root: String) { (self.device, self.root) = (device, root) }

  private mutating func look(into directory: Directory, _ path: [String]) throws(MaildirError) {
    var others: [[UInt8]] = []
    for (name, kind) in try Self.names(in: directory) {
      let text = name.forPeople
      switch kind {
      case .directory:
        if path.isEmpty, text == AccountTree.controlName { continue }
        guard ["new", "cur", "tmp"].contains(text) else {
          others.append(name)
          continue
        }
        try lookAtMessages(in: name, of: directory, path)
      case .file where Self.isBookkeeping(text): continue
      case .file: tell(path, text, .file)
      case .link:
        if let mail = LinkedMail(name, in: directory, below: path, of: root) {
          found.append(.linked(mail))
        } else {
          tell(path, text, .link)
        }
      case .other, .unknown: tell(path, text, .other)
      }
    }
    for name in others {
      guard let child = try directory.realDirectory(name) else {
        tell(path, name.forPeople, .other)
        continue
      }
      guard try child.facts().device == device else {
        tell(path, name.forPeople, .disk)
        continue
      }
      try look(into: child, path + [name.forPeople])
    }
  }

  private mutating func lookAtMessages(
    in part: [UInt8], of directory: Directory, _ path: [String]
  ) throws(MaildirError) {
    guard let child = try directory.realDirectory(part) else {
      return tell(path, part.forPeople, .other)
    }
    let isTemporary = part == Array("tmp".utf8)
    let folder = path.joined(separator: "/")
    for (name, kind) in try Self.names(in: child) {
      switch kind {
      // What is being delivered is no message yet: who delivers it hears that its place is gone.
      case .file where isTemporary:
        guard let aside = AsideName(name) else { continue }
        let file = MessageFile(subdirectory: aside.subdirectory, name: aside.name)
        found.append(.message(folder: folder, baseHash: file.baseHash))
      case .file:
        let file = MessageFile(subdirectory: .cur, name: name)
        found.append(.message(folder: folder, baseHash: file.baseHash))
      case .link: tell(path + [part.forPeople], name.forPeople, .link)
      case .directory, .other, .unknown:
        tell(path + [part.forPeople], name.forPeople, .other)
      }
    }
  }

  private mutating func tell(_ path: [String], _ name: String, _ what: Foreign) {
    found.append(.foreign(path: (path + [name]).joined(separator: "/"), what))
  }

  /// In which this program and others keep a folder's name, keyword table and UIDs: no person wrote it.
  private static func isBookkeeping(_ name: String) -> Bool {
    [
      DovecotKeywords.fileName, MaildirFolder.sideFileName, AccountTree.noIndexName,
      "maildirfolder", ".uidvalidity",
    ].contains(name) || name.hasPrefix("dovecot") || name.hasPrefix(".mbsyncstate")
  }

  /// With what each name stands for, links not followed.
  static func names(in directory: Directory) throws(MaildirError) -> [(
    name: [UInt8], kind: DirectoryNames.Kind
  )] {
    var found: [(name: [UInt8], kind: DirectoryNames.Kind)] = []
    try DirectoryNames.forEach(in: directory) { bytes, kind throws(MaildirError) in
      let name = Array(bytes)
      guard kind == .unknown else { return found.append((name, kind)) }
      guard let facts = try directory.entryFacts(name) else { return }
      let known: DirectoryNames.Kind =
        facts.isDirectory
        ? .directory : facts.isLink ? .link : facts.isRegularFile ? .file : .other
      found.append((name, known))
    }
    return found
  }
}

extension Directory {
  /// The directory called `name` in here; nil where there is none, or the name is a symbolic link.
  package func realDirectory(_ name: some FileName) throws(MaildirError) -> Directory? {
    if isNowhere { return nil }
    let child = try name.withName { name throws(MaildirError) in
      retrying { openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
    }
    let path = path + "/" + name.forPeople
    if child >= 0 { return Directory(descriptor: child, path: path) }
    guard [ENOENT, ENOTDIR, ELOOP].contains(errno) else { throw .failed("open", path) }
    return nil
  }
}
