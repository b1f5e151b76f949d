#if os(Linux)
  import Foundation
  import Maildir
  import Testing

  @testable import TreeWatch

  struct TreeGoneTests {
    let account: ScratchAccount
    let watcher = TreeWatcher()

    init() throws {
      account = try ScratchAccount()
      #expect(watcher.add(account.watched) == [])
    }

    @Test(arguments: ["Mail/personal", "Mail"])
    func `a tree that is moved away is told once, and found again`(what: String) throws {
      let place = account.top + "/" + what
      try move(place, account.top + "/Mail2")
      #expect(watcher.read() == [.treeGone(account: "personal")])
      #expect(watcher.lacksSomething)
      #expect(watcher.tryAgain() == [])
      // What happens there is not this account's.
      try Data().write(
        to: URL(
          fileURLWithPath: account.top + "/Mail2" + (what == "Mail" ? "/personal" : "")
            + "/INBOX/new/1.x"))
      #expect(watcher.read() == [])
      try move(account.top + "/Mail2", place)
      #expect(watcher.tryAgain() == [.treeBack(account: "personal")])
      #expect(!watcher.lacksSomething)
      try account.write("INBOX/new/2.x")
      #expect(watcher.read() == [try account.hint("INBOX", .arrived)])
    }

    @Test func `a tree that is removed`() throws {
      try FileManager.default.removeItem(atPath: account.path)
      #expect(watcher.read() == [.treeGone(account: "personal")])
      #expect(watcher.read() == [])
    }

    @Test func `a tree that was never there`() throws {
      let missing = WatchedAccount(name: "other", path: account.top + "/other", layout: .nested)
      #expect(watcher.add(missing) == [.treeGone(account: "other")])
      #expect(watcher.tryAgain() == [])
      _ = try AccountTree.open(path: missing.path, create: true)
      #expect(watcher.tryAgain() == [.treeBack(account: "other")])
      #expect(!FileManager.default.fileExists(atPath: account.top + "/elsewhere"))
    }

    @Test func `an empty directory in its place is no tree`() throws {
      try move(account.path, account.top + "/kept")
      try account.makeDirectories("")
      #expect(watcher.read() == [.treeGone(account: "personal")])
    }

    @Test func `a copy in its place is looked at as a whole`() throws {
      try FileManager.default.copyItem(atPath: account.path, toPath: account.top + "/copy")
      try move(account.path, account.top + "/kept")
      try move(account.top + "/copy", account.path)
      #expect(watcher.read().contains(.everything(account: "personal", .anotherTree)))
      try account.write("INBOX/new/1.x")
      #expect(watcher.read() == [try account.hint("INBOX", .arrived)])
    }
  }
#endif
