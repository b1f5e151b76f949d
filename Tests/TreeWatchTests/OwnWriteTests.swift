#if os(Linux)
  import Foundation
  import MailCore
  import Maildir
  import Synchronization
  import Testing

  @testable import TreeWatch

  private final class Delivery: Sendable {
    let isDone = Atomic(false)
  }

  struct OwnWriteTests {
    let account: ScratchAccount
    let watcher = TreeWatcher()
    private static let policy = MaildirPolicy(fsync: false)
    let inbox: MaildirFolder

    init() throws {
      account = try ScratchAccount(folders: ["INBOX", "Archive"])
      inbox = try account.folder("INBOX")
      #expect(watcher.add(account.watched) == [])
    }

    private static func deliver(
      _ uids: Range<UInt32>, to folder: MaildirFolder, marks: MessageMarks = .init()
    )
      throws -> [MessageFile]
    {
      var batch = DeliveryBatch(policy: Self.policy)
      let writer = DeliveryWriter(policy: Self.policy)
      for uid in uids {
        writer.begin(in: folder)
        try Array("Subject: \(uid)\r\n\r\nx\r\n".utf8).withUnsafeBytes { try writer.write($0) }
        let name = BirthName(
          internalDate: 1_700_000_000, mailbox: MailboxName("INBOX", delimiter: "/"),
          uidValidity: UIDValidity(7), uid: UID(uid), account: "personal")
        batch.add(try writer.finish(marks: marks, internalDate: 1_700_000_000, base: name.base))
      }
      let outcome = batch.commit()
      if let failure = outcome.failure { throw failure }
      return outcome.delivered.map(\.file)
    }

    @Test func `5,000 messages of ours are no news`() throws {
      let files = try Self.deliver(1..<5001, to: inbox)
      #expect(files.count == 5000)
      #expect(watcher.isReadable)
      #expect(watcher.read() == [])
    }

    @Test func `nor are they while they are read as they come`() async throws {
      let delivery = Delivery()
      let folder = inbox
      try await withThrowingTaskGroup(of: Int.self) { group in
        group.addTask {
          defer { delivery.isDone.store(true, ordering: .releasing) }
          return try (0..<20).reduce(0) { count, hundred in
            let first = UInt32(hundred * 100 + 1)
            return try count + Self.deliver(first..<first + 100, to: folder).count
          }
        }
        var hints: [TreeHint] = []
        while !delivery.isDone.load(ordering: .acquiring) {
          hints += watcher.read()
          await Task.yield()
        }
        let count = try await group.next()
        #expect(count == 2000)
        #expect(hints + watcher.read() == [])
      }
    }

    @Test func `nor are flags, keywords, moves and removals`() throws {
      var files = try Self.deliver(1..<5, to: inbox)
      files[0] = try inbox.setFlags(.seen, of: files[0], policy: Self.policy)
      files[1] = try inbox.setKeywords(Keywords(["$Work"]), of: files[1], policy: Self.policy).file
      files[2] = try inbox.move(files[2], to: try account.folder("Archive"), policy: Self.policy)
      try inbox.unlink(files[3], asSeen: try inbox.facts(files[3]))
      #expect(watcher.read() == [])
    }

    @Test func `nor are folders, and what is delivered into them`() throws {
      let folder = try account.folder("New")
      _ = try Self.deliver(1..<5, to: folder)
      #expect(watcher.read() == [])
      _ = try Self.deliver(5..<9, to: folder)
      #expect(watcher.read() == [])
      try account.tree.renameFolder(
        try #require(FolderPath(text: "New")), to: try #require(FolderPath(text: "Newer")),
        fsync: false)
      #expect(watcher.read() == [])
      try account.write("Newer/new/1.x")
      #expect(watcher.read() == [try account.hint("Newer", .arrived)])
    }

    @Test func `what a reader then does with the same file is`() throws {
      let file = try #require(try Self.deliver(1..<2, to: inbox).first)
      let name = String(decoding: file.name, as: UTF8.self)
      try account.rename("INBOX/new/\(name)", "INBOX/cur/\(name):2,S")
      #expect(watcher.read() == [try account.hint("INBOX", .marks)])
      let second = try #require(try Self.deliver(2..<3, to: inbox).first)
      try account.unlink("INBOX/new/" + String(decoding: second.name, as: UTF8.self))
      #expect(watcher.read() == [try account.hint("INBOX", .removed)])
      // The same names once more are another program's.
      try account.rename("INBOX/cur/\(name):2,S", "INBOX/new/\(name)")
      #expect(watcher.read() == [try account.hint("INBOX", .marks)])
    }

    @Test func `what we fail to change is not taken for ours later`() throws {
      let file = try #require(try Self.deliver(1..<2, to: inbox).first)
      #expect(watcher.read() == [])
      let name = String(decoding: file.name, as: UTF8.self)
      try account.unlink("INBOX/new/\(name)")
      #expect(throws: MaildirError.self) {
        try inbox.setFlags(.seen, of: file, policy: Self.policy)
      }
      #expect(watcher.read() == [try account.hint("INBOX", .removed)])
      try account.write("INBOX/cur/\(name):2,S")
      #expect(watcher.read() == [try account.hint("INBOX", .arrived)])
    }
  }
#endif
