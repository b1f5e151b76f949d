import Foundation
import MailCore
import Maildir
import Testing

struct DeliveryBatchTests {
  let message = [UInt8]("From: a\r\n\r\nbody\r\n")

  @Test(arguments: [1, 3, 20], [true, false])
  func `a batch appears whole and in order`(count: Int, fsync: Bool) throws {
    let scratch = try ScratchTree(onDisk: fsync)
    let folders = [try scratch.folder("INBOX"), try scratch.folder("Archive/2024")]
    let policy = MaildirPolicy(fsync: fsync)
    let writer = DeliveryWriter(policy: policy)
    var batch = DeliveryBatch(policy: policy)
    for uid in 1...count {
      writer.begin(in: folders[uid % 2])
      try feed(message, to: writer)
      batch.add(
        try writer.finish(
          marks: MessageMarks(flags: uid % 3 == 0 ? .seen : []), internalDate: 5,
          base: birth(UInt32(uid)).base))
    }
    #expect(try scratch.names("INBOX/cur") + scratch.names("INBOX/new") == [])
    let outcome = batch.commit()
    #expect(outcome.failure == nil)
    #expect(
      outcome.delivered.map { BirthName(base: $0.file.base)?.uid.rawValue }
        == (1...count).map { UInt32($0) })
    for delivered in outcome.delivered {
      #expect(scratch.exists(delivered.folder.text + "/" + delivered.file.description))
    }
    #expect(batch.isEmpty)
    #expect(batch.bytes == 0)
    #expect(try scratch.names("INBOX/tmp") + scratch.names("Archive/2024/tmp") == [])
  }

  @Test func `a taken name is never replaced`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    for number in 1...5 {
      let body = [UInt8]("From: a\r\n\r\nbody \(number)\r\n")
      let delivered = try deliver(body, to: folder)
      #expect(BirthName(base: delivered.file.base)?.ordinal == number)
      #expect(BirthName(base: delivered.file.base)?.uid == UID(1))
      #expect(try serverBytes(delivered.file, in: folder, asCame: false) == body)
    }
    #expect(try scratch.names("INBOX/new").count == 5)
  }

  @Test func `a discarded batch leaves nothing`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let policy = MaildirPolicy(fsync: false)
    let writer = DeliveryWriter(policy: policy)
    var batch = DeliveryBatch(policy: policy)
    for uid in 1...3 as ClosedRange<UInt32> {
      writer.begin(in: folder)
      try feed(message, to: writer)
      batch.add(try writer.finish(marks: MessageMarks(), internalDate: 5, base: birth(uid).base))
    }
    #expect(try scratch.names("INBOX/tmp").count == 3)
    batch.discard()
    #expect(try scratch.names("INBOX/tmp") == [])
    #expect(batch.commit().delivered.isEmpty)
  }

  @Test func `a file lost on the way stops the batch and what was delivered is told`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let policy = MaildirPolicy(fsync: false)
    let writer = DeliveryWriter(policy: policy)
    var batch = DeliveryBatch(policy: policy)
    for uid in 1...3 as ClosedRange<UInt32> {
      writer.begin(in: folder)
      try feed(message, to: writer)
      batch.add(try writer.finish(marks: MessageMarks(), internalDate: 5, base: birth(uid).base))
      if uid == 2 {
        let latest = try #require(
          try scratch.names("INBOX/tmp").max {
            $0.count == $1.count ? $0 < $1 : $0.count < $1.count
          })
        try FileManager.default.removeItem(at: scratch.url("INBOX/tmp/" + latest))
      }
    }
    let outcome = batch.commit()
    #expect(outcome.delivered.count == 1)
    #expect(outcome.failure != nil)
    #expect(try scratch.names("INBOX/tmp") == [])
    #expect(try scratch.names("INBOX/new").count == 1)
  }

  @Test func `a full disk stops with how much is missing, and leaves whole messages only`() throws {
    let scratch = try ScratchTree()
    let mount = scratch.path + "/small"
    try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: false)
    let mounted = try run("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", mount)
    guard mounted else { return }
    defer { _ = try? run("umount", "-l", mount) }
    let tree = try AccountTree.open(path: mount + "/account", create: true)
    let folder = try MaildirFolder.create(.test("INBOX"), in: tree)
    let large = [UInt8]("a: b\r\n\r\n") + [UInt8](repeating: 0x78, count: 50_000) + [UInt8]("\r\n")
    var delivered = 0
    let error = #expect(throws: MaildirError.self) {
      for uid in 1...20 as ClosedRange<UInt32> {
        try deliver(large, to: folder, policy: MaildirPolicy(), uid: uid)
        delivered += 1
      }
    }
    guard case .noSpace(_, let needed, let free) = error else {
      Issue.record("not told as a full disk: \(String(describing: error))")
      return
    }
    #expect(needed > free)
    #expect(error?.stopsRun == true)
    #expect(delivered > 0 && delivered < 6)
    let scan = try FolderScan.read(folder)
    #expect(scan.count == delivered)
    #expect(try FileManager.default.contentsOfDirectory(atPath: mount + "/account/INBOX/tmp") == [])
    try FolderScan.forEachFile(in: folder) { file throws(MaildirError) in
      #expect(try folder.digest(of: file, policy: MaildirPolicy()) == digest(large))
    }
  }

  private func run(_ command: String...) throws -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
