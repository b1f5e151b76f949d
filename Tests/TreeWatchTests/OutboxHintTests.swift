#if os(Linux)
  import Maildir
  import Testing

  @testable import TreeWatch

  struct OutboxHintTests {
    @Test func `a queue that comes to be, a message, a record`() throws {
      let account = try ScratchAccount()
      let watcher = TreeWatcher()
      let queued = TreeHint.outbox(account: "personal")
      #expect(watcher.add(account.watched) == [])
      try account.makeDirectories(".mirror/outbox/tmp")
      #expect(watcher.read() == [])
      try account.makeDirectories(
        ".mirror/outbox/new", ".mirror/outbox/cur", ".mirror/outbox/entries")
      #expect(watcher.read() == [queued])
      try account.write(".mirror/outbox/tmp/1.x")
      #expect(watcher.read() == [])
      try account.rename(".mirror/outbox/tmp/1.x", ".mirror/outbox/new/1.x")
      #expect(watcher.read() == [queued])
      try account.write(".mirror/outbox/entries/temporary")
      #expect(watcher.read() == [])
      try account.rename(".mirror/outbox/entries/temporary", ".mirror/outbox/entries/1.phase")
      #expect(watcher.read() == [queued])
      try account.write(".mirror/state.db")
      #expect(!watcher.isReadable)
    }

    @Test func `a record that we write is no news`() throws {
      let account = try ScratchAccount()
      try account.makeDirectories(
        ".mirror/outbox/tmp", ".mirror/outbox/new", ".mirror/outbox/cur", ".mirror/outbox/entries")
      let watcher = TreeWatcher()
      #expect(watcher.add(account.watched) == [])
      try account.write(".mirror/outbox/entries/temporary")
      let entries = try #require(
        try account.tree.control.directory("outbox")?.directory("entries"))
      try entries.replace("1.phase", with: "temporary", of: entries)
      #expect(watcher.read() == [])
    }
  }
#endif
