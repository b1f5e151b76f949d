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
/// swapped out is removed link by link: a directory that holds anything but links is refused, and a message that a
/// reader put there meanwhile stays where it is.
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
  private static let marker = ".noindex"

  /// - Parameter path: absolute, or relative to the working directory.
  package init(_ path: String) {
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

  /// Whether the directory is there; throws where it holds anything that is not ours.
  private func check() throws(LinkError) -> Bool {
    var facts = stat()
    guard lstat(path, &facts) == 0 else {
      guard errno == ENOENT else { throw .cannotUse(path, reason: errno) }
      return false
    }
    guard Self.kind(facts) == S_IFDIR else { throw .notADirectory(path) }
    for entry in try Self.names(in: path) where entry != FileBytes(Self.marker) {
      let name = entry.description
      let isOurs = Self.levels.contains { FileBytes($0) == entry }
      guard isOurs, Self.kind(of: FileBytes(path + "/" + name)) == S_IFDIR else {
        throw .foreign(path + "/" + name)
      }
      let level = FileBytes(path + "/" + name)
      for link in try Self.names(in: level.description) {
        let link = level.appending(link.bytes)
        guard Self.kind(of: link) == S_IFLNK else { throw .foreign(link.description) }
      }
    }
    return true
  }

  // MARK: Making

  private func stage(_ entries: some Sequence<Entry>) throws(LinkError) {
    guard mkdir(staging, 0o700) == 0 else { throw .cannotUse(staging, reason: errno) }
    for level in Self.levels {
      guard mkdir(staging + "/" + level, 0o700) == 0 else { throw abandon(errno) }
    }
    let marker = open(staging + "/" + Self.marker, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard marker >= 0 else { throw abandon(errno) }
    close(marker)
    for entry in entries {
      let link = FileBytes(staging).appending(Self.linkName(entry))
      let status = entry.path.withPath { target in link.withPath { symlink(target, $0) } }
      if status != 0, errno != EEXIST { throw abandon(errno) }
    }
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
      _ = try? remove(parent + "/" + name.description)
    }
  }

  /// Removes links and our own directories, nothing else; false where something else keeps them.
  private func remove(_ directory: String) throws(LinkError) -> Bool {
    for level in Self.levels {
      for name in try Self.names(in: directory + "/" + level) {
        let link = FileBytes(directory + "/" + level).appending(name.bytes)
        if Self.kind(of: link) == S_IFLNK { _ = link.withPath { unlink($0) } }
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
        problem: "“\(path)” is no link of a search; nothing was changed.",
        remedy: "Name a directory that holds nothing else, or one that does not exist yet.",
        exitStatus: .usage)
    case .leftBehind(let path):
      Explanation(
        problem: "The new links are in place; something that is no link stayed in “\(path)”.",
        remedy: "Look through it and remove it by hand.", exitStatus: .inPart)
    }
  }
}
