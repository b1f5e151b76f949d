import MailCore

#if os(Linux)
  import Glibc
  import Maildir

  /// What a reading's events come to: hints, one for each folder and kind.
  ///
  /// A file whose name comes and goes in one folder was renamed there; one that goes here and comes there was moved. How the
  /// reader did it, by rename(2) or by link and unlink, shows in the events' order only, so their order does not count.
  struct NewsBatch {
    /// Accounts to be gone over: directories of theirs came, went, or are called something else.
    private(set) var changedTrees: Set<String> = []
    private(set) var hasLostEvents = false
    /// Those in which another program did that.
    private var folders: Set<String> = []
    private var outboxes: Set<String> = []
    private var files: [FileNews] = []

    private struct FileNews {
      let base: NameHash
      let watch: Int32
      let kind: OwnWrites.Kind
    }

    private struct Place: Hashable {
      let account: String
      let folder: FolderPath
    }

    mutating func loseEvents() { hasLostEvents = true }

    mutating func treeChanged(_ accounts: Set<String>) { changedTrees.formUnion(accounts) }

    /// - Parameter isWritten: whether the file of that name was written lately.
    mutating func add(_ event: TreeEvent, at watch: Watch, isWritten: () -> Bool) {
      if event.isOfWatch {
        changedTrees.insert(watch.account)
        return
      }
      switch watch.role {
      case .folders:
        guard event.isOfDirectory else { return }
        changedTrees.insert(watch.account)
        if !isOwn(event, watch) { folders.insert(watch.account) }
      case .messages(_, let subdirectory):
        guard !event.isOfDirectory, event.name.first != UInt8(ascii: ".") else { return }
        if event.kind == nil ? !isWritten() : isOwn(event, watch) { return }
        let file = MessageFile(subdirectory: subdirectory, name: Array(event.name))
        files.append(
          FileNews(base: file.baseHash, watch: event.watch, kind: event.kind ?? .came))
      case .outbox:
        if !event.isOfDirectory, !isOwn(event, watch) { outboxes.insert(watch.account) }
      case .outboxParent:
        if event.isOfDirectory { changedTrees.insert(watch.account) }
      }
    }

    /// A directory has its watch only now: what came into it before.
    mutating func addFound(_ name: UnsafeRawBufferPointer, at watch: Watch, number: Int32) {
      guard case .messages(_, let subdirectory) = watch.role,
        name.first != UInt8(ascii: "."),
        !OwnWrites.expect(.came, name, in: watch.directory)
      else { return }
      let file = MessageFile(subdirectory: subdirectory, name: Array(name))
      files.append(FileNews(base: file.baseHash, watch: number, kind: .came))
    }

    mutating func addOutbox(_ account: String) { outboxes.insert(account) }

    /// What has happened in it is told with that.
    mutating func treeIsGone(_ account: String) {
      folders.remove(account)
      outboxes.remove(account)
    }

    private func isOwn(_ event: TreeEvent, _ watch: Watch) -> Bool {
      event.kind.map { OwnWrites.take($0, event.name, in: watch.directory) } ?? false
    }

    /// - Parameter watches: as they are after all trees that changed were gone over: a folder goes by its new path.
    func hints(_ watches: [Int32: Watch]) -> [TreeHint] {
      outboxes.sorted().map { .outbox(account: $0) }
        + folders.sorted().map { .folders(account: $0) } + folderHints(watches)
    }

    private func folderHints(_ watches: [Int32: Watch]) -> [TreeHint] {
      var kinds: [Place: Set<TreeHint.Kind>] = [:]
      let files = files.sorted { $0.base < $1.base }
      var start = 0
      while start < files.count {
        let base = files[start].base
        let end = files[start...].firstIndex { $0.base != base } ?? files.count
        var came: Set<Place> = []
        var went: Set<Place> = []
        for file in files[start..<end] {
          guard let watch = watches[file.watch], case .messages(let folder, _) = watch.role else {
            continue
          }
          let place = Place(account: watch.account, folder: folder)
          if file.kind == .came { came.insert(place) } else { went.insert(place) }
        }
        for place in came {
          kinds[place, default: []].insert(went.contains(place) ? .marks : .arrived)
        }
        for place in went where !came.contains(place) {
          kinds[place, default: []].insert(came.isEmpty ? .removed : .marks)
        }
        start = end
      }
      return kinds.sorted {
        ($0.key.account, $0.key.folder.text) < ($1.key.account, $1.key.folder.text)
      }.flatMap { place, kinds in
        [TreeHint.Kind.marks, .arrived, .removed].filter(kinds.contains).map {
          .folder(account: place.account, place.folder, $0)
        }
      }
    }
  }
#endif
