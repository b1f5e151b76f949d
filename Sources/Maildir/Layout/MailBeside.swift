import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Where mail may lie below a tree's root and outside of one account: in another one, or in a Maildir that is no
/// account's. Directories are entered by whatever way the programs enter them, symbolic links, too, each one once.
package struct MailBeside {
  /// A `cur` or `new`.
  package struct Place {
    /// The entry right below the root that leads there.
    package let top: String
    /// Below the root, for people.
    package let path: String
    fileprivate let directory: Directory

    package func facts() throws(MaildirError) -> FileFacts { try directory.facts() }
  }

  package private(set) var places: [Place] = []
  /// Below the root, for people: what could not be looked into, and links that lead nowhere.
  package private(set) var unread: [String] = []
  private var seen = SeenDirectories()

  /// No mail tree is deeper.
  private static let deepest = 40

  /// - Parameters:
  ///   - root: absolute.
  ///   - account: the name of the account's directory.
  package static func read(root: String, outside account: String) -> MailBeside {
    var beside = MailBeside()
    do throws(MaildirError) {
      let directory = try Directory.open(path: root)
      _ = try beside.seen.meet(directory)
      try beside.seen.meetAll(above: directory)
      // What the account's own folders are is looked into with the account.
      if let own = try directory.directory(account) { beside.passOver(own, depth: 0) }
      beside.look(into: directory, top: nil, of: directory, "", depth: 0)
    } catch {
      beside.unread.append(".")
    }
    beside.unread.sort()
    return beside
  }

  private mutating func passOver(_ directory: Directory, depth: Int) {
    guard depth < Self.deepest, (try? seen.meet(directory)) == true,
      let level = try? TreeLevel(directory)
    else { return }
    for name in level.directories + level.links where name != AccountTree.controlName {
      guard let child = (try? directory.directory(name)) ?? nil else { continue }
      // A link to another account is no folder of this one.
      let isAccount = (try? child.facts(AccountTree.controlName)) ?? nil != nil
      if !isAccount { passOver(child, depth: depth + 1) }
    }
  }

  /// - Parameter tree: the directory called `top`; the root itself above of those.
  private mutating func look(
    into directory: Directory, top: String?, of tree: Directory, _ path: String, depth: Int
  ) {
    guard depth < Self.deepest else { return }
    do throws(MaildirError) {
      let level = try TreeLevel(directory)
      let names = (level.directories + level.links).map { Array($0.utf8) } + level.unnamed
      for name in names { enter(name, of: directory, top: top, tree, path, depth: depth) }
    } catch {
      unread.append(path.isEmpty ? "." : path)
    }
  }

  private mutating func enter(
    _ name: [UInt8], of parent: Directory, top: String?, _ tree: Directory, _ path: String,
    depth: Int
  ) {
    let text = name.escapedForPeople
    guard text != AccountTree.controlName, text != "tmp" else { return }
    let isAmongMessages = path.hasSuffix("/cur") || path.hasSuffix("/new")
    let path = path.isEmpty ? text : path + "/" + text
    do throws(MaildirError) {
      guard let child = try parent.directory(name) else {
        // A link to a file holds no mail; where one leads nowhere, a disk may be missing. Among messages it is no folder's:
        // editors lock files by such links.
        if !isAmongMessages, try parent.facts(name) == nil, try parent.entryFacts(name) != nil,
          !DeadLink(directory: parent, name: name).isOfRemoved(in: tree)
        {
          unread.append(path)
        }
        return
      }
      guard try seen.meet(child) else { return }
      if text == "cur" || text == "new" {
        places.append(Place(top: top ?? text, path: path, directory: child))
      }
      look(
        into: child, top: top ?? text, of: top == nil ? child : tree, path, depth: depth + 1)
    } catch {
      if !parent.isOthersAlone(name) { unread.append(path) }
    }
  }
}

extension Directory {
  /// Whether an entry is another user's, and not to be written to: nothing was ever moved there, as into `lost+found`.
  fileprivate func isOthersAlone(_ name: [UInt8]) -> Bool {
    guard let facts = (try? entryFacts(name)) ?? nil else { return false }
    return !facts.isLink && facts.owner != geteuid() && (try? mayBeWritten(name)) == false
  }
}

extension MailBeside {
  /// A file among messages.
  package struct File {
    package let name: [UInt8]
    /// As a ledger has it.
    package let baseHash: NameHash
    fileprivate let directory: Directory
    fileprivate let place: String

    /// When anything of it changed last, its place included, in nanoseconds since 1970; 0 when it is gone.
    package func changed() throws(MaildirError) -> Int64 {
      try directory.entryFacts(name)?.changed ?? 0
    }

    /// Its first bytes, at most so many, and how long it is; nothing of what is no regular file, or gone by now.
    package func head(_ most: Int) throws(MaildirError) -> (bytes: [UInt8], fileSize: Int64) {
      guard let file = try directory.open(name, O_RDONLY) else { return ([], 0) }
      let path = place + "/" + name.forPeople
      let facts = try file.facts(path: path)
      guard facts.isRegularFile else { return ([], 0) }
      var bytes = [UInt8](repeating: 0, count: Int(min(UInt64(most), facts.size)))
      let count = try file.read(into: &bytes, path: path)
      bytes.removeSubrange(count...)
      return (bytes, Int64(clamping: facts.size))
    }
  }
}

extension MailBeside.Place {
  /// Hands over each file in here.
  ///
  /// - Returns: false where not all could be read.
  package func forEachFile(_ body: (MailBeside.File) throws(MaildirError) -> Void) -> Bool {
    var isRead = true
    do throws(MaildirError) {
      try MessageNames.forEach(in: directory) { bytes, base, _ throws(MaildirError) in
        do throws(MaildirError) {
          try body(
            MailBeside.File(
              name: Array(bytes),
              baseHash: NameHash(of: UnsafeRawBufferPointer(rebasing: bytes[..<base])),
              directory: directory, place: path))
        } catch {
          isRead = false
        }
      }
    } catch {
      isRead = false
    }
    return isRead
  }
}
