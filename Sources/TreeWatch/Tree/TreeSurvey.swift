#if os(Linux)
  import Glibc
  import MailCore
  import Maildir

  /// One account's tree, gone over from its root: every directory in which something may happen has its watch, and nothing
  /// that came meanwhile is left out.
  struct TreeSurvey {
    private(set) var watches: [Int32: Watch] = [:]
    /// Watches of the directories above: where one moves away, the tree is not at its path any more.
    private(set) var above: Set<Int32> = []
    /// Why not everything will be reported.
    private(set) var hindrance: NoWatching?
    let root: DirectoryIdentity
    private let account: WatchedAccount
    private let tree: AccountTree
    private let inotify: Inotify

    /// A directory that comes after its parent was listed makes one more round; who makes them without end is not waited for:
    /// their events are there to be read.
    private static let mostRounds = 10

    init(of account: WatchedAccount, with inotify: Inotify) throws(MaildirError) {
      self.account = account
      self.inotify = inotify
      tree = try AccountTree.openExisting(path: account.path)
      root = try tree.directory.identity
      watchAbove()
      var before: Set<Int32> = []
      for _ in 0..<Self.mostRounds {
        try goRound()
        let now = Set(watches.keys)
        if now == before { break }
        for number in before.subtracting(now) { inotify.unwatch(number) }
        before = now
      }
    }

    private mutating func goRound() throws(MaildirError) {
      watches = [:]
      let (places, unread) = try tree.folderPlaces(account.layout)
      if let folder = unread.first { hinder(.unreadable(folder: folder.text)) }
      for place in places {
        guard let directory = try open(place) else { continue }
        watch(directory, .folders(place))
        if let name = ReportlessFileSystem.name(directory.descriptor) {
          hinder(.reportsNothing(fileSystem: name))
        }
        for part in Subdirectory.allCases {
          try watch(part.name, of: directory, .messages(place, part))
        }
      }
      try watchOutbox()
    }

    private func open(_ place: FolderPath) throws(MaildirError) -> Directory? {
      var directory = tree.directory
      for name in place.components {
        guard let next = try directory.directory(name) else { return nil }
        directory = next
      }
      return directory
    }

    private mutating func watchOutbox() throws(MaildirError) {
      guard let outbox = try tree.control.directory("outbox") else {
        watch(tree.control, .outboxParent)
        return
      }
      for name in ["new", "entries"] {
        if try !watch(name, of: outbox, .outbox) { watch(outbox, .outboxParent) }
      }
    }

    /// False where there is no such directory.
    @discardableResult
    private mutating func watch(_ name: String, of parent: Directory, _ role: Watch.Role)
      throws(MaildirError) -> Bool
    {
      do throws(MaildirError) {
        guard let directory = try parent.directory(name) else { return false }
        watch(directory, role)
      } catch {
        guard case .notPermitted(let path) = error else { throw error }
        hinder(.unreadable(folder: path))
      }
      return true
    }

    private mutating func watch(_ directory: Directory, _ role: Watch.Role) {
      do throws(NoWatching) {
        guard let identity = try? directory.identity,
          let number = try inotify.watch(directory, role.events)
        else { return }
        watches[number] = Watch(account: account.name, role: role, directory: identity)
      } catch {
        hinder(error)
      }
    }

    /// As far as they can be watched at all.
    private mutating func watchAbove() {
      guard let real = realpath(account.path, nil) else { return }
      defer { free(real) }
      var path = String(cString: real)
      while let slash = path.lastIndex(of: "/"), slash > path.startIndex {
        path = String(path[..<slash])
        if let number = try? inotify.watch(path: path, UInt32(IN_MOVE_SELF)) {
          above.insert(number)
        }
      }
    }

    private mutating func hinder(_ reason: NoWatching) { hindrance = hindrance ?? reason }
  }
#endif
