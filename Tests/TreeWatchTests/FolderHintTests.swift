#if os(Linux)
  import Foundation
  import Maildir
  import Testing

  @testable import TreeWatch

  struct FolderHintTests {
    let account: ScratchAccount
    let watcher = TreeWatcher()
    let changed = TreeHint.folders(account: "personal")

    init() throws {
      account = try ScratchAccount(folders: ["INBOX", "Archive"])
      #expect(watcher.add(account.watched) == [])
    }

    @Test func `a folder that comes with files in it`() throws {
      try account.makeDirectories("New/sub/cur", "New/sub/new", "New/sub/tmp")
      try account.write("New/sub/cur/1.x:2,S")
      #expect(watcher.read() == [changed, try account.hint("New/sub", .arrived)])
      try account.write("New/sub/new/2.x")
      #expect(watcher.read() == [try account.hint("New/sub", .arrived)])
    }

    @Test func `a folder that is moved into the tree`() throws {
      let elsewhere = account.top + "/elsewhere"
      try account.makeDirectories(
        "../../elsewhere/cur", "../../elsewhere/new", "../../elsewhere/tmp")
      try account.write("../../elsewhere/new/1.x")
      try move(elsewhere, account.path + "/Archive/2024")
      #expect(watcher.read() == [changed, try account.hint("Archive/2024", .arrived)])
    }

    @Test func `a Maildir is made piece by piece`() throws {
      try account.makeDirectories("New")
      #expect(watcher.read() == [changed])
      try account.makeDirectories("New/tmp", "New/new")
      #expect(watcher.read() == [changed])
      try account.makeDirectories("New/cur")
      #expect(watcher.read() == [changed])
      try account.write("New/cur/1.x:2,S")
      #expect(watcher.read() == [try account.hint("New", .arrived)])
    }

    @Test func `a renamed folder goes by its new name`() throws {
      try account.rename("Archive", "Old")
      try account.write("Old/new/1.x")
      #expect(watcher.read() == [changed, try account.hint("Old", .arrived)])
      try account.write("Old/new/2.x")
      #expect(watcher.read() == [try account.hint("Old", .arrived)])
    }

    @Test func `a folder that left the tree is not watched any more`() throws {
      try move(account.path + "/Archive", account.top + "/Archive")
      #expect(watcher.read() == [changed])
      try account.write("../../Archive/new/1.x")
      #expect(!watcher.isReadable || watcher.read() == [])
    }

    @Test func `a removed folder`() throws {
      try FileManager.default.removeItem(atPath: account.path + "/Archive")
      #expect(watcher.read() == [changed])
      #expect(watcher.read() == [])
    }

    @Test func `Maildir++: the account is a folder, and others have a dot`() throws {
      let flat = try ScratchAccount("flat", layout: .maildirPlusPlus, folders: ["", ".Archive"])
      #expect(watcher.add(flat.watched) == [])
      try flat.write("new/1.x")
      try flat.write(".Archive/cur/2.x:2,S")
      #expect(watcher.read() == [try flat.hint("", .arrived), try flat.hint(".Archive", .arrived)])
      try flat.makeDirectories(".New/cur", ".New/new", ".New/tmp")
      try flat.write(".New/new/3.x")
      #expect(
        watcher.read() == [.folders(account: "flat"), try flat.hint(".New", .arrived)])
    }

    @Test func `folders that come without end do not hold up the reading`() throws {
      for number in 0..<200 {
        let folder = "Deep/\(number % 7)/\(number)"
        try account.makeDirectories(folder + "/cur", folder + "/new", folder + "/tmp")
      }
      #expect(watcher.read() == [changed])
      try account.write("Deep/3/101/new/1.x")
      try account.rename("Deep/3/101/new/1.x", "Deep/4/102/cur/1.x:2,S")
      #expect(
        watcher.read() == [
          try account.hint("Deep/3/101", .marks), try account.hint("Deep/4/102", .arrived),
        ])
    }

    @Test func `two accounts over one instance, of which one is left`() throws {
      let other = try ScratchAccount("work")
      #expect(watcher.add(other.watched) == [])
      try account.write("INBOX/new/1.x")
      try other.write("INBOX/new/1.y")
      #expect(
        watcher.read() == [try account.hint("INBOX", .arrived), try other.hint("INBOX", .arrived)])
      watcher.remove(account: "personal")
      try account.write("INBOX/new/2.x")
      #expect(watcher.read() == [])
      try other.write("INBOX/new/2.y")
      #expect(watcher.read() == [try other.hint("INBOX", .arrived)])
    }

    @Test(.enabled(if: getuid() != 0)) func `a folder that cannot be read is looked at instead`()
      throws
    {
      try check(chmod(account.path + "/Archive", 0))
      defer { _ = chmod(account.path + "/Archive", 0o700) }
      try account.makeDirectories("New")
      #expect(
        watcher.read() == [
          .unwatched(account: "personal", .unreadable(folder: "Archive")), changed,
        ])
      #expect(watcher.lacksSomething)
      #expect(watcher.tryAgain() == [])
      try check(chmod(account.path + "/Archive", 0o700))
      #expect(watcher.tryAgain() == [.watched(account: "personal")])
      #expect(!watcher.lacksSomething)
    }
  }
#endif
