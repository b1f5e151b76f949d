import MailCore
import Maildir

#if os(Linux)
  import Glibc

  /// Watches the trees and send queues of accounts, by one inotify instance for all, and tells of other programs' changes.
  ///
  /// An event is a hint where to look. What this process changes itself (``OwnWrites``) is no news.
  package final class TreeWatcher {
    /// Nil while the system gives none.
    private var inotify: Inotify?
    private var trees: [String: Tree] = [:]
    private var watches: [Int32: Watch] = [:]
    /// The accounts below directories that are watched only lest they move.
    private var above: [Int32: Set<String>] = [:]

    private struct Tree {
      let account: WatchedAccount
      /// As last seen; nil before that.
      var root: DirectoryIdentity?
      var isGone = false
      /// Why not everything is reported.
      var hindrance: NoWatching?

      var lacksSomething: Bool { isGone || hindrance != nil }
    }

    package init() { OwnWrites.keep() }

    /// Readable when ``read()`` has something to tell; -1 where nothing is reported. Ask anew after ``add(_:)`` and
    /// ``tryAgain()``.
    package var descriptor: Int32 { inotify?.descriptor ?? -1 }

    /// Whether ``tryAgain()`` may find things better than they are.
    package var lacksSomething: Bool { trees.values.contains(where: \.lacksSomething) }

    /// Begins to watch a tree. What lies there already is not told.
    package func add(_ account: WatchedAccount) -> [TreeHint] {
      trees[account.name] = Tree(account: account)
      return goOver([account.name], NewsBatch())
    }

    package func remove(account name: String) {
      trees[name] = nil
      forget(watches(of: name).keys)
    }

    /// What has happened, without waiting for anything.
    package func read() -> [TreeHint] {
      guard let inotify else { return [] }
      var batch = NewsBatch()
      inotify.read { event in
        if event.isOverflow { batch.loseEvents() }
        if let accounts = above[event.watch] { batch.treeChanged(accounts) }
        guard let watch = watches[event.watch] else { return }
        if event.isEnd { watches[event.watch] = nil }
        batch.add(event, at: watch) { isWritten(event.name, in: watch) }
      }
      guard batch.hasLostEvents else { return goOver(batch.changedTrees, batch) }
      return goOver(Set(trees.keys), NewsBatch())
        + trees.keys.sorted().compactMap { name in
          trees[name]?.isGone == true ? nil : .everything(account: name, .eventsLost)
        }
    }

    /// To be called once a minute while ``lacksSomething``: looks whether a tree is back, or can be watched now.
    package func tryAgain() -> [TreeHint] {
      goOver(Set(trees.filter(\.value.lacksSomething).keys), NewsBatch())
    }

    /// Whether a file was written within the last minute. A file that we write anew for its keywords keeps its message's date,
    /// and who opens one without writing leaves it.
    private func isWritten(_ name: UnsafeRawBufferPointer, in watch: Watch) -> Bool {
      guard case .messages(let folder, let part) = watch.role, let tree = trees[watch.account]
      else {
        return false
      }
      let directory = ([tree.account.path] + folder.components + [part.name]).joined(separator: "/")
      let path = Array(directory.utf8) + [UInt8(ascii: "/")] + name + [0]
      var status = stat()
      return stat(path.map { CChar(bitPattern: $0) }, &status) == 0
        && status.st_mtim.tv_sec > time(nil) - 60
    }

    // MARK: Going over trees

    /// Goes over the trees in which directories have changed, and tells what these and the batch come to.
    private func goOver(_ names: Set<String>, _ batch: NewsBatch) -> [TreeHint] {
      var batch = batch
      var hints: [TreeHint] = []
      for name in names.sorted() {
        if let tree = trees[name] { hints += goOver(tree, &batch) }
      }
      return hints + batch.hints(watches)
    }

    private func goOver(_ before: Tree, _ batch: inout NewsBatch) -> [TreeHint] {
      let name = before.account.name
      var tree = before
      defer { trees[name] = tree }
      do throws(MaildirError) {
        (tree.root, tree.hindrance) = try survey(before, &batch)
        tree.isGone = false
      } catch .treeVanished {
        forget(watches(of: name).keys)
        batch.treeIsGone(name)
        tree.isGone = true
        return before.isGone ? [] : [.treeGone(account: name)]
      } catch {
        tree.hindrance = .tree(error)
      }
      var hints: [TreeHint] = []
      if before.isGone, !tree.isGone {
        hints.append(.treeBack(account: name))
      } else if let root = before.root, root != tree.root {
        hints.append(.everything(account: name, .anotherTree))
      }
      if tree.hindrance != before.hindrance {
        hints.append(
          tree.hindrance.map { .unwatched(account: name, $0) } ?? .watched(account: name))
      }
      return hints
    }

    private func survey(_ tree: Tree, _ batch: inout NewsBatch) throws(MaildirError) -> (
      root: DirectoryIdentity, hindrance: NoWatching?
    ) {
      let name = tree.account.name
      let inotify: Inotify
      do throws(NoWatching) {
        inotify = try instance()
      } catch {
        let root = try AccountTree.openExisting(path: tree.account.path).directory.identity
        return (root, error)
      }
      let survey = try TreeSurvey(of: tree.account, with: inotify)
      let old = watches(of: name)
      forget(Set(old.keys).subtracting(survey.watches.keys))
      watches.merge(survey.watches) { $1 }
      for number in survey.above { above[number, default: []].insert(name) }
      // What lay there at the beginning is looked at by whoever begins to watch.
      if !tree.isGone, tree.root != nil {
        for (number, watch) in survey.watches where old[number] == nil {
          addFound(in: watch, number, &batch)
        }
      }
      return (survey.root, survey.hindrance)
    }

    private func instance() throws(NoWatching) -> Inotify {
      if let inotify { return inotify }
      let made = try Inotify()
      inotify = made
      return made
    }

    private func addFound(in watch: Watch, _ number: Int32, _ batch: inout NewsBatch) {
      switch watch.role {
      case .folders, .outboxParent: return
      case .outbox: batch.addOutbox(watch.account)
      case .messages(let folder, let part):
        guard let path = trees[watch.account]?.account.path,
          let place = FolderPath(components: folder.components + [part.name]),
          let directory = try? Directory.open(path: path + "/" + place.text),
          (try? directory.identity) == watch.directory
        else { return }
        try? DirectoryNames.forEach(in: directory) { name, kind in
          if kind != .directory { batch.addFound(name, at: watch, number: number) }
        }
      }
    }

    private func watches(of account: String) -> [Int32: Watch] {
      watches.filter { $0.value.account == account }
    }

    private func forget(_ numbers: some Collection<Int32>) {
      for number in numbers {
        watches[number] = nil
        inotify?.unwatch(number)
      }
    }
  }
#else
  /// Nothing is reported here: all trees are looked at once a minute.
  package final class TreeWatcher {
    package init() {}
    package var descriptor: Int32 { -1 }
    package var lacksSomething: Bool { false }
    package func add(_ account: WatchedAccount) -> [TreeHint] {
      [.unwatched(account: account.name, .notHere)]
    }
    package func remove(account name: String) {}
    package func read() -> [TreeHint] { [] }
    package func tryAgain() -> [TreeHint] { [] }
  }
#endif
