import CFileCalls
import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A Maildir of symbolic links, for readers that know folders and no searches.
///
/// It is filled beside its place and swapped in whole, so that a reader sees the old links or the new ones. What is
/// swapped out is removed link by link: a directory that does not bear our mark, or holds anything but our links, is
/// refused, and a message that a reader put there meanwhile stays where it is. Inside the mail tree nothing is made.
package struct LinkedMaildir {
  /// One message to be linked.
  package struct Entry: Sendable, Equatable {
    /// Unique in the directory; names the link.
    package var id: Int64
    /// Absolute: the message's file.
    package var path: FileBytes

    package init(id: Int64, path: FileBytes) {
      self.id = id
      self.path = path
    }
  }

  package let path: String
  private let staging: String
  private static let levels = ["cur", "new", "tmp"]
  /// Other programs have files of that name; the words in it make it ours.
  private static let marker = ".noindex"
  private static let mark =
    "Links to what a search of mirror found; the next search replaces them.\n"
  private let root: String

  /// - Parameters:
  ///   - path: absolute, or relative to the working directory.
  ///   - root: of the mail tree; links are refused inside.
  package init(_ path: String, root: String) {
    self.root = root
    let trimmed = String(path.reversed().drop { $0 == "/" }.reversed())
    self.path = trimmed.isEmpty ? "/" : trimmed
    staging = self.path + ".\(getpid()).new"
  }

  /// Replaces the directory's links by these.
  package func fill(_ entries: some Sequence<Entry>) throws(LinkError) {
    let exists = try check()
    removeAbandoned()
    try stage(entries)
    guard exists else {
      guard rename(staging, path) == 0 else { throw abandon(errno) }
      return
    }
    guard Self.swap(staging, path) else { throw abandon(errno) }
    // The old directory has the staging name now.
    guard try remove(staging) else { throw .leftBehind(staging) }
  }

  // MARK: Looking

  /// Whether the directory is there; throws where it holds anything that is not ours, or lies in the tree.
  @discardableResult
  func check() throws(LinkError) -> Bool {
    try checkPlace()
    var facts = stat()
    guard lstat(path, &facts) == 0 else {
      guard errno == ENOENT else { throw .cannotUse(path, reason: errno) }
      return false
    }
    guard Self.kind(facts) == S_IFDIR else { throw .notADirectory(path) }
    let entries = try Self.names(in: path)
    if entries.isEmpty { return true }
    guard Self.hasMark(path) else { throw .foreign(path) }
    for entry in entries where entry != FileBytes(Self.marker) {
      let level = FileBytes(path).appending(entry.bytes)
      guard Self.levels.contains(where: { FileBytes($0) == entry }), Self.kind(of: level) == S_IFDIR
      else { throw .foreign(level.description) }
      for link in try Self.names(in: level.description) {
        let link = level.appending(link.bytes)
        guard Self.isOurs(link) else { throw .foreign(link.description) }
      }
    }
    return true
  }

  /// Whatever way leads there: the tree holds mail, and what is in it may be pushed.
  private func checkPlace() throws(LinkError) {
    guard let root = Self.real(root) else { return }
    let parent = FileBytes(path).parent
    let real = Self.real(path) ?? Self.real(parent.bytes.isEmpty ? "/" : parent.description)
    guard let real else { return }
    if real == root || real.hasPrefix(root == "/" ? root : root + "/") { throw .inTree(path) }
  }

  private static func real(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func hasMark(_ directory: String) -> Bool {
    let file = open(directory + "/" + marker, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: mark.utf8.count + 1)
    let count = read(file, &bytes, bytes.count)
    return count == mark.utf8.count && bytes.prefix(count).elementsEqual(mark.utf8)
  }

  /// Whether a link has the name that we would give it; readers change flags and move from new to cur.
  private static func isOurs(_ link: FileBytes) -> Bool {
    guard kind(of: link) == S_IFLNK, let target = target(of: link) else { return false }
    let digits = link.name.prefix { (0x30...0x39).contains($0) }
    guard let id = Int64(String(decoding: digits, as: UTF8.self)) else { return false }
    let name = FileBytes(linkName(Entry(id: id, path: target))).name
    return stem(name) == stem(link.name)
  }

  private static func target(of link: FileBytes) -> FileBytes? {
    var bytes = [CChar](repeating: 0, count: 8192)
    let count = link.withPath { readlink($0, &bytes, 8192) }
    guard count > 0, count < bytes.count else { return nil }
    let target = FileBytes(bytes.prefix(count).map(UInt8.init(bitPattern:)))
    return target.bytes.first == UInt8(ascii: "/") ? target : nil
  }

  /// The name without its flags.
  private static func stem(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let place = name.lastIndex { ":;!".utf8.contains($0) }
    guard let place, name[place...].dropFirst().starts(with: "2,".utf8) else { return name }
    return name[..<place]
  }

  // MARK: Making

  private func stage(_ entries: some Sequence<Entry>) throws(LinkError) {
    guard mkdir(staging, 0o700) == 0 else { throw .cannotUse(staging, reason: errno) }
    // The mark first: what is left of a run that was killed is known by it.
    guard makeMark() else { throw abandon(errno) }
    for level in Self.levels {
      guard mkdir(staging + "/" + level, 0o700) == 0 else { throw abandon(errno) }
    }
    for entry in entries {
      let link = FileBytes(staging).appending(Self.linkName(entry))
      let status = entry.path.withPath { target in link.withPath { symlink(target, $0) } }
      if status != 0, errno != EEXIST { throw abandon(errno) }
    }
  }

  private func makeMark() -> Bool {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
    let file = open(staging + "/" + Self.marker, flags, 0o600)
    guard file >= 0 else { return false }
    defer { close(file) }
    return write(file, Self.mark, Self.mark.utf8.count) == Self.mark.utf8.count
  }

  /// `cur/29394021.name:2,S`: the name of the file with its flags, behind the message's id.
  static func linkName(_ entry: Entry) -> [UInt8] {
    let name = entry.path.name
    let isNew = entry.path.parent.name.elementsEqual("new".utf8)
    let start = Array(String(entry.id).utf8)
    var link = start + [UInt8(ascii: ".")] + name
    if link.count > 255 {
      let info = name.lastIndex { ":;!".utf8.contains($0) }.map { name[$0...] } ?? []
      link = start + (info.count < 100 ? info : [])
    }
    return Array((isNew ? "new/" : "cur/").utf8) + link
  }

  /// Takes away what was staged and tells why.
  private func abandon(_ reason: Int32) -> LinkError {
    _ = try? remove(staging)
    return .cannotUse(path, reason: reason)
  }

  // MARK: Removing

  /// What runs that were killed had staged, told by the number of a process that is no more.
  private func removeAbandoned() {
    let place = FileBytes(path)
    let parent = place.parent.bytes.isEmpty ? "/" : place.parent.description
    let start = place.name + [UInt8(ascii: ".")]
    for name in (try? Self.names(in: parent)) ?? [] where name.bytes.starts(with: start) {
      let rest = String(decoding: name.bytes.dropFirst(start.count), as: UTF8.self)
      guard rest.hasSuffix(".new"), let process = pid_t(rest.dropLast(4)), process > 0,
        kill(process, 0) != 0, errno == ESRCH
      else { continue }
      let directory = parent + "/" + name.description
      if Self.hasMark(directory) { _ = try? remove(directory) }
    }
  }

  /// Removes links and our own directories, nothing else; false where something else keeps them.
  private func remove(_ directory: String) throws(LinkError) -> Bool {
    for level in Self.levels {
      for name in try Self.names(in: directory + "/" + level) {
        let link = FileBytes(directory + "/" + level).appending(name.bytes)
        if Self.isOurs(link) { _ = link.withPath { unlink($0) } }
      }
      rmdir(directory + "/" + level)
    }
    unlink(directory + "/" + Self.marker)
    return rmdir(directory) == 0
  }

  // MARK: Calls

  private static func swap(_ new: String, _ old: String) -> Bool {
    if file_rename_exchange(new, old) == 0 { return true }
    // A file system without an exchange: the place is empty for a moment.
    let aside = new + ".old"
    guard rename(old, aside) == 0 else { return false }
    guard rename(new, old) == 0 else {
      rename(aside, old)
      return false
    }
    return rename(aside, new) == 0
  }

  private static func kind(_ facts: stat) -> mode_t { facts.st_mode & S_IFMT }

  private static func kind(of path: FileBytes) -> mode_t? {
    var facts = stat()
    return path.withPath { lstat($0, &facts) } == 0 ? kind(facts) : nil
  }

  private static func names(in directory: String) throws(LinkError) -> [FileBytes] {
    guard let stream = opendir(directory) else {
      if errno == ENOENT { return [] }
      throw .cannotUse(directory, reason: errno)
    }
    defer { closedir(stream) }
    var names: [FileBytes] = []
    while let name = DirectoryEntry.next(stream) {
      if name != [0x2E], name != [0x2E, 0x2E] { names.append(FileBytes(name)) }
    }
    return names
  }
}

/// Why a Maildir of links could not be made. `reason` is an errno.
package enum LinkError: Error, Equatable {
  case cannotUse(String, reason: Int32)
  case notADirectory(String)
  /// The directory holds something that is no link of a search.
  case foreign(String)
  /// The directory lies in the mail tree.
  case inTree(String)
  /// Swapped in, but the old directory could not be removed whole.
  case leftBehind(String)
}

extension LinkError: Explained {
  package var explanation: Explanation {
    switch self {
    case .cannotUse(let path, let reason):
      Explanation(
        problem: "The links cannot be made in “\(path)”: \(String(cString: strerror(reason))).",
        remedy: "Name a directory whose parent exists and that you may write to.",
        exitStatus: reason == EACCES || reason == EROFS ? .refused : .usage)
    case .notADirectory(let path):
      Explanation(
        problem: "“\(path)” is no directory.",
        remedy: "Name a directory of links, or one that does not exist yet.", exitStatus: .usage)
    case .foreign(let path):
      Explanation(
        problem: "“\(path)” was not made by a search; nothing was changed.",
        remedy: "Name a directory that holds nothing else, or one that does not exist yet.",
        exitStatus: .usage)
    case .inTree(let path):
      Explanation(
        problem: "“\(path)” lies in the mail tree; nothing was changed.",
        remedy: "Name a directory outside of it, such as ~/.cache/search.", exitStatus: .usage)
    case .leftBehind(let path):
      Explanation(
        problem: "The new links are in place; something that is no link stayed in “\(path)”.",
        remedy: "Look through it and remove it by hand.", exitStatus: .inPart)
    }
  }
}
