#if os(Linux)
  import Foundation
  import Maildir
  import Testing

  @testable import TreeWatch

  /// The kernel queues an event before the call that makes it returns, so nothing here waits.
  struct FileHintTests {
    let account: ScratchAccount
    let watcher = TreeWatcher()

    init() throws {
      account = try ScratchAccount(folders: ["INBOX", "Archive", "Archive/2024"])
      try account.write("INBOX/new/1.fresh")
      try account.write("INBOX/cur/2.seen:2,S")
      try account.age("INBOX/cur/2.seen:2,S")
      #expect(watcher.add(account.watched) == [])
      #expect(!watcher.isReadable)
    }

    @Test func `a delivery arrives`() throws {
      try account.write("INBOX/tmp/3.x")
      try account.rename("INBOX/tmp/3.x", "INBOX/new/3.x")
      #expect(watcher.isReadable)
      #expect(watcher.read() == [try account.hint("INBOX", .arrived)])
      #expect(watcher.read() == [])
      #expect(!watcher.isReadable)
    }

    @Test func `what is renamed in a folder has other marks`() throws {
      try account.rename("INBOX/new/1.fresh", "INBOX/cur/1.fresh:2,S")
      try account.rename("INBOX/cur/2.seen:2,S", "INBOX/cur/2.seen:2,FS")
      #expect(watcher.read() == [try account.hint("INBOX", .marks)])
    }

    @Test func `so has what is renamed by link and unlink`() throws {
      try account.link("INBOX/new/1.fresh", "INBOX/cur/1.fresh:2,S")
      try account.unlink("INBOX/new/1.fresh")
      #expect(watcher.read() == [try account.hint("INBOX", .marks)])
    }

    @Test(arguments: ["rename", "link", "copy"])
    func `a move removes nothing`(way: String) throws {
      let (old, new) = ("INBOX/cur/2.seen:2,S", "Archive/2024/cur/2.seen:2,S")
      switch way {
      case "rename": try account.rename(old, new)
      case "link":
        try account.link(old, new)
        try account.unlink(old)
      default:
        try FileManager.default.copyItem(
          atPath: account.path + "/" + old, toPath: account.path + "/" + new)
        try account.unlink(old)
      }
      #expect(
        watcher.read() == [
          try account.hint("Archive/2024", .arrived), try account.hint("INBOX", .marks),
        ])
    }

    @Test func `a removal is one`() throws {
      try account.unlink("INBOX/new/1.fresh")
      #expect(watcher.read() == [try account.hint("INBOX", .removed)])
    }

    @Test func `another draft in the place of the old`() throws {
      try account.write("INBOX/tmp/3.draft")
      try account.rename("INBOX/tmp/3.draft", "INBOX/cur/3.draft:2,D")
      try account.unlink("INBOX/cur/2.seen:2,S")
      #expect(
        watcher.read() == [
          try account.hint("INBOX", .arrived), try account.hint("INBOX", .removed),
        ])
    }

    @Test func `a file that is written in place counts as new, one that is only opened as nothing`()
      throws
    {
      let path = account.path + "/INBOX/cur/2.seen:2,S"
      try #require(FileHandle(forUpdatingAtPath: path)).close()
      #expect(watcher.read() == [])
      let file = try #require(FileHandle(forUpdatingAtPath: path))
      try file.write(contentsOf: Data("Subject: y\n".utf8))
      try file.close()
      #expect(watcher.read() == [try account.hint("INBOX", .arrived)])
    }

    @Test func `what is no message is no news`() throws {
      try account.write("INBOX/tmp/4.x")
      try account.write("INBOX/cur/.nfs0001")
      try account.write("INBOX/dovecot-uidlist")
      try account.makeDirectories("INBOX/cur/directory")
      #expect(watcher.read() == [])
    }

    @Test func `a thousand renames are one hint for each folder`() throws {
      for number in 0..<500 { try account.write("INBOX/tmp/\(number).x") }
      for number in 0..<500 {
        try account.rename("INBOX/tmp/\(number).x", "INBOX/new/\(number).x")
        try account.rename("INBOX/new/\(number).x", "Archive/cur/\(number).x:2,S")
      }
      #expect(
        watcher.read() == [
          try account.hint("Archive", .arrived), try account.hint("INBOX", .marks),
        ])
    }

    @Test func `20,000 renames at once: events are lost, and the watch goes on`() throws {
      let limit = try String(
        contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
      let kept = try #require(Int(limit.trimmingCharacters(in: .whitespacesAndNewlines)))
      try #require(kept <= 1 << 20)
      for number in 0..<max(10_000, kept / 4 + 1) {
        try account.rename("INBOX/cur/2.seen:2,S", "INBOX/cur/2.seen:2,FS")
        try account.rename("INBOX/cur/2.seen:2,FS", "INBOX/cur/2.seen:2,S")
        // Made while the events are lost.
        if number == 9_999 { try account.makeDirectories("Late/cur", "Late/new", "Late/tmp") }
      }
      #expect(watcher.read().contains(.everything(account: "personal", .eventsLost)))
      while watcher.isReadable { _ = watcher.read() }
      try account.rename("INBOX/cur/2.seen:2,S", "INBOX/cur/2.seen:2,FS")
      #expect(watcher.read() == [try account.hint("INBOX", .marks)])
      try account.write("Late/new/5.x")
      #expect(watcher.read() == [try account.hint("Late", .arrived)])
    }
  }
#endif
