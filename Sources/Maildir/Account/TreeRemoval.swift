import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Removes a directory with all that is in it, but nothing that came, or was changed, since somebody looked whether it may
/// go: a program that had a folder open before may still deliver into it. Follows no symbolic link.
///
/// The time of change tells: no program can set it, and a rename sets it anew. So does the removal of another link to the
/// file: those that had several are known by their inodes.
package struct TreeRemoval {
  /// What was changed from this moment on stays, in nanoseconds since 1970 by the file system's own clock.
  private let moment: Int64
  /// Files that had several links at that moment, and had not been changed.
  private let links: Set<UInt64>
  /// Of ours, however new: directories from the top down, without the name itself.
  private let isOwn: ([String]) -> Bool
  /// The directory that goes.
  private var root: String?
  /// What stayed, for people: paths below the directory.
  package private(set) var left: [String] = []
  /// Where links that were removed led to mail: that stays.
  package private(set) var linked: [String] = []
  /// Files in `new` and `cur` that were removed.
  package private(set) var messages = 0

  package init(
    unchangedSince moment: Int64, links: Set<UInt64>, isOwn: @escaping ([String]) -> Bool
  ) {
    self.moment = moment
    self.links = links
    self.isOwn = isOwn
  }

  /// The inodes of files below a directory that have several links and were not changed since.
  package static func links(below directory: Directory, unchangedSince moment: Int64)
    throws(MaildirError) -> Set<UInt64>
  {
    var found: Set<UInt64> = []
    for (name, kind) in try AccountContents.names(in: directory) {
      if kind == .directory, let child = try directory.realDirectory(name) {
        found.formUnion(try links(below: child, unchangedSince: moment))
      } else if kind == .file, let facts = try directory.entryFacts(name), facts.links > 1,
        facts.changed < moment
      {
        found.insert(facts.inode)
      }
    }
    return found
  }

  /// Goes on where another was cut off. Nothing is done where there is no such directory, or it is a link.
  package mutating func remove(_ name: some FileName, in parent: Directory) throws(MaildirError) {
    guard let directory = try parent.realDirectory(name) else { return }
    root = directory.path
    try empty(directory, [])
    _ = try removeEmpty(name, in: parent)
  }

  private mutating func empty(_ directory: Directory, _ path: [String]) throws(MaildirError) {
    for (name, _) in try AccountContents.names(in: directory) {
      try remove(name, in: directory, path)
    }
  }

  private mutating func remove(_ name: [UInt8], in directory: Directory, _ path: [String])
    throws(MaildirError)
  {
    guard let facts = try directory.entryFacts(name) else { return }
    if facts.isDirectory, let child = try directory.realDirectory(name) {
      let below = path + [name.forPeople]
      try empty(child, below)
      if try removeEmpty(name, in: directory) { return }
      // What came while it was emptied.
      let known = left.count
      try empty(child, below)
      if try !removeEmpty(name, in: directory), left.count == known {
        left.append(below.joined(separator: "/"))
      }
      return
    }
    if !isOwn(path), facts.changed >= moment, !links.contains(facts.inode) {
      let text = (path + [name.forPeople]).joined(separator: "/")
      if !left.contains(text) { left.append(text) }
      return
    }
    if facts.isLink,
      let mail = LinkedMail(name, in: directory, below: path, of: root ?? directory.path)
    {
      linked.append(mail.target)
    }
    try directory.unlink(name)
    if let part = path.last, ["new", "cur"].contains(part), !isOwn(path) { messages += 1 }
  }

  /// False where something is in it.
  private func removeEmpty(_ name: some FileName, in parent: Directory) throws(MaildirError) -> Bool
  {
    do throws(MaildirError) {
      try parent.unlink(name, directory: true)
      return true
    } catch .system(_, _, ENOTEMPTY) {
      return false
    } catch .system(_, _, EEXIST) {
      return false
    } catch {
      throw error
    }
  }
}

extension Directory {
  /// The file system's time: that of a file that is made, or made anew, for it.
  package func moment(_ name: some FileName) throws(MaildirError) -> Int64 {
    _ = try unlink(name)
    guard let file = try open(name, O_WRONLY | O_CREAT | O_EXCL) else {
      throw .nameTaken(name: name.forPeople)
    }
    let moment = try file.facts(path: path).changed
    try unlink(name)
    return moment
  }
}
