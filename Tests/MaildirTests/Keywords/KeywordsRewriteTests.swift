import Foundation
import MailCore
import Maildir
import Testing

struct KeywordsRewriteTests {
  let policy = MaildirPolicy(fsync: false)

  @Test func `keywords come and go, and the message stays the same`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let message = [UInt8]("From: a\r\nSubject: b\r\n\r\nbody\r\n")
    let delivered = try deliver(message, to: folder, marks: MessageMarks(flags: .seen))
    let before = try folder.facts(delivered.file)
    var numbers = SeededNumbers(seed: 4)
    var latest = before
    var current = delivered.file
    for _ in 0..<200 {
      let names = ["aa", "bb", "cc", "d,d", "eee"].filter { _ in Bool.random(using: &numbers) }
      let keywords = Keywords(names)
      let shown = try folder.localKeywords(of: current, policy: policy).set(beyond: .none)
      let (file, leftOut) = try folder.setKeywords(keywords, of: current, policy: policy)
      #expect((file.base != current.base) == (shown != keywords), "readers must see the change")
      #expect(file.fileName.flags == .seen)
      #expect(BirthName(base: file.base) == BirthName(base: delivered.file.base))
      current = file
      #expect(leftOut.isEmpty)
      #expect(try folder.localKeywords(of: file, policy: policy).set(beyond: .none) == keywords)
      #expect(try serverBytes(file, in: folder, asCame: false) == message)
      #expect(try folder.digest(of: file, policy: policy) == delivered.digest)
      let facts = try folder.facts(file)
      #expect(facts.modified == before.modified)
      if shown != keywords { #expect(facts.size != latest.size, "rsync must see the change") }
      latest = facts
    }
    #expect(try scratch.names("INBOX/tmp") == [])
  }

  @Test func `nothing is written when nothing changes`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let file = try deliver(
      [UInt8]("a: b\r\n\r\n"), to: folder, marks: MessageMarks(keywords: ["x"])
    ).file
    let before = try folder.facts(file)
    let upper = try folder.setKeywords(["X"], of: file, policy: policy).file
    let lower = try folder.setKeywords(["x"], of: upper, policy: policy).file
    // Another spelling of the same keyword is a rewrite at most once; the same spelling none.
    let after = try folder.facts(lower)
    #expect(try folder.setKeywords(["x"], of: lower, policy: policy).file == lower)
    #expect(try folder.facts(lower).inode == after.inode)
    #expect(before.modified == after.modified)
  }

  @Test func `permissions stay`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let file = try deliver([UInt8]("a: b\r\n\r\n"), to: folder).file
    let path = scratch.url("INBOX/" + file.description).path
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    let changed = try folder.setKeywords(["x"], of: file, policy: policy).file
    #expect(try folder.facts(changed).mode & 0o777 == 0o640)
  }

  @Test func `a message that begins with our header is given back untouched`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let message = [UInt8]("x-keywords: native, list\r\nFrom: a\r\n\r\nbody\r\n")
    let delivered = try deliver(message, to: folder)
    #expect(delivered.digest.nativeLabels == ["native", "list"])
    #expect(
      try scratch.bytes(delivered.file, in: "INBOX").text.hasPrefix(
        "X-Keywords:\nx-keywords: native"))
    var file = delivered.file
    for keywords: Keywords in [["a"], .none, ["b", "c"], .none] {
      file = try folder.setKeywords(keywords, of: file, policy: policy).file
      #expect(try serverBytes(file, in: folder, asCame: false) == message)
      let local = try folder.localKeywords(of: file, policy: policy)
      #expect(local.set(beyond: delivered.digest.nativeLabels) == keywords)
    }
  }

  @Test func `a file that a reader renamed meanwhile is reported, and nothing is made`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let file = try deliver([UInt8]("a: b\r\n\r\n"), to: folder).file
    let seen = try folder.setFlags(.seen, of: file, policy: policy)
    #expect(throws: MaildirError.vanished(name: file.description)) {
      try folder.setKeywords(["x"], of: file, policy: policy)
    }
    #expect(try scratch.names("INBOX/new") == [])
    #expect(try scratch.names("INBOX/cur") == [seen.name.text])
    #expect(try scratch.names("INBOX/tmp") == [])
  }

  @Test func `other names of a linked file keep its old content`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let file = try deliver([UInt8]("a: b\r\n\r\n"), to: folder).file
    try FileManager.default.linkItem(
      at: scratch.url("INBOX/" + file.description), to: scratch.url("INBOX/cur/other:2,S"))
    _ = try folder.setKeywords(["x"], of: file, policy: policy)
    #expect(try scratch.bytes("INBOX/cur/other:2,S").text == "a: b\n\n")
  }

  @Test func `a line longer than any block is replaced whole`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let many = Keywords((0..<40_000).map { "keyword-\($0)" })
    let message = [UInt8]("From: a\r\n\r\nbody\r\n")
    let file = try deliver(message, to: folder, marks: MessageMarks(keywords: many)).file
    #expect(try folder.localKeywords(of: file, policy: policy).own == many)
    #expect(try serverBytes(file, in: folder, asCame: false) == message)
    let changed = try folder.setKeywords(["x"], of: file, policy: policy).file
    #expect(try scratch.bytes(changed, in: "INBOX").text == "X-Keywords: x\nFrom: a\n\nbody\n")
  }
}

struct KeywordsBatchTests {
  @Test(arguments: [1, 3, 20], [true, false])
  func `a batch of rewrites arrives together, what a reader renamed is told`(
    count: Int, fsync: Bool
  ) throws {
    let scratch = try ScratchTree(onDisk: fsync)
    let folder = try scratch.folder("INBOX")
    let policy = MaildirPolicy(fsync: fsync)
    var batch = KeywordsBatch(policy: policy)
    var files: [MessageFile] = []
    for uid in 1...UInt32(count) {
      let file = try deliver([UInt8]("a: \(uid)\r\n\r\n"), to: folder, uid: uid).file
      files.append(file)
      batch.add(try #require(try folder.stageKeywords(["k\(uid)"], of: file, policy: policy)))
    }
    let moved = try folder.setFlags(.seen, of: files[0], policy: policy)
    let results = batch.commit()
    #expect(results.first == .failure(.vanished(name: files[0].description)))
    let rewritten = files.map { file in
      var name = file.fileName
      name.base = RewrittenName.next(after: file.base)
      return MessageFile(subdirectory: file.subdirectory, name: name.bytes(separator: .colon))
    }
    #expect(Array(results.dropFirst()) == rewritten.dropFirst().map { .success($0) })
    #expect(try folder.localKeywords(of: moved, policy: policy).own == nil)
    for (place, file) in rewritten.enumerated().dropFirst() {
      #expect(try folder.localKeywords(of: file, policy: policy).own == ["k\(place + 1)"])
    }
    #expect(try scratch.names("INBOX/tmp") == [])
    #expect(try FolderScan.read(folder).count == count)
  }

  @Test func `nothing is staged where nothing changes, and a discarded batch leaves nothing`()
    throws
  {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let policy = MaildirPolicy(fsync: false)
    let file = try deliver([UInt8]("a: b\r\n\r\n"), to: folder).file
    #expect(try folder.stageKeywords(.none, of: file, policy: policy) == nil)
    var batch = KeywordsBatch(policy: policy)
    batch.add(try #require(try folder.stageKeywords(["x"], of: file, policy: policy)))
    batch.discard()
    #expect(try scratch.names("INBOX/tmp") == [])
    #expect(batch.commit().isEmpty)
  }

  @Test func `Dovecot's sizes in a name stay right`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    try scratch.write("a: b\n\nc\n", to: "INBOX/cur/1.2.h,S=8,W=11:2,S")
    let file = MessageFile(subdirectory: .cur, name: [UInt8]("1.2.h,S=8,W=11:2,S"))
    let (changed, _) = try folder.setKeywords(["x"], of: file, policy: MaildirPolicy(fsync: false))
    #expect(changed.name.text == "1.2.h~k1,S=22,W=26:2,S")
    #expect(try folder.facts(changed).size == 22)
  }
}
