import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A symbolic link that leads nowhere.
///
/// Mostly a disk may be missing there that is not mounted at present. It is none where the way that the link names comes to
/// an end in a directory of the tree that is being looked at: that is there, on the link's own file system, and not empty, as
/// the place of a disk would be.
struct DeadLink {
  let directory: Directory
  let name: [UInt8]

  private static let mostLinks = 8
  private static let above = Array("..".utf8)

  /// Whether what it names was removed, and no disk can have it.
  ///
  /// - Parameter tree: the directory by which the link was reached.
  func isOfRemoved(in tree: Directory) -> Bool {
    (try? end(after: Self.mostLinks)).flatMap { $0 }.map { isInside($0, tree) } ?? false
  }

  /// The last directory on the link's way; nil where that is not known.
  private func end(after links: Int) throws(MaildirError) -> Directory? {
    guard links > 0, let path = try directory.target(ofLink: name), let first = path.first else {
      return nil
    }
    var place = first == UInt8(ascii: "/") ? try Directory.open(path: "/") : directory
    for name in path.split(separator: UInt8(ascii: "/")).map(Array.init) {
      if name == Self.above {
        guard let next = place.parent else { return nil }
        place = next
      } else if let next = try place.directory(name) {
        place = next
      } else if try place.entryFacts(name)?.isLink == true {
        return try DeadLink(directory: place, name: name).end(after: links - 1)
      } else {
        return place
      }
    }
    return nil
  }

  private func isInside(_ place: Directory, _ tree: Directory) -> Bool {
    guard let own = try? directory.facts(), let facts = try? place.facts(),
      let bound = try? tree.facts(), facts.device == own.device, holdsAnything(place)
    else { return false }
    var above = place
    var seen = SeenDirectories()
    while (try? seen.meet(above)) == true {
      if let facts = try? above.facts(), facts.device == bound.device, facts.inode == bound.inode {
        return true
      }
      guard let next = above.parent else { return false }
      above = next
    }
    return false
  }

  private func holdsAnything(_ place: Directory) -> Bool {
    var isEmpty = true
    try? DirectoryNames.forEach(in: place) { _, _ in isEmpty = false }
    return !isEmpty
  }
}

extension Directory {
  /// What a symbolic link in here names; nil where it names nothing, or is too long to be of use.
  fileprivate func target(ofLink name: [UInt8]) throws(MaildirError) -> [UInt8]? {
    var bytes = [CChar](repeating: 0, count: 4096)
    let count = try name.withName { name throws(MaildirError) in
      readlinkat(descriptor, name, &bytes, bytes.count)
    }
    guard count > 0, count < bytes.count else { return nil }
    return bytes[..<count].map { UInt8(bitPattern: $0) }
  }
}
