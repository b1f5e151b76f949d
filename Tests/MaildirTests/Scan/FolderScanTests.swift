import Foundation
import MailCore
import Maildir
import Testing

struct FolderScanTests {
  @Test func `every message is found with its flags`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    for name in ["new/a", "new/b:2,S", "cur/c:2,FSx", "cur/d!2,", "cur/e"] {
      try scratch.write("", to: "INBOX/" + name)
    }
    for name in ["cur/.hidden", "tmp/t"] { try scratch.write("", to: "INBOX/" + name) }
    try FileManager.default.createDirectory(
      at: scratch.url("INBOX/cur/dir"), withIntermediateDirectories: false)
    let scan = try FolderScan.read(folder)
    #expect(scan.count == 5)
    #expect(!scan.isRaced)
    #expect(scan.duplicates == [])
    let found = try #require(scan.find(base: [UInt8]("c")))
    #expect(found.flags == [.flagged, .seen])
    #expect(found.keywordLetters == KeywordLetters(index: 23))
    #expect(
      found.file(base: [UInt8]("c")) == MessageFile(subdirectory: .cur, name: [UInt8]("c:2,FSx")))
    #expect(scan.find(base: [UInt8]("b"))?.subdirectory == .new)
    #expect(scan.find(base: [UInt8]("d"))?.suffix.text == "!2,")
    #expect(scan.find(base: [UInt8]("dir")) == nil)
    #expect(scan.find(base: [UInt8]("t")) == nil)
    let hashes = (0..<scan.count).map { scan[$0].baseHash }
    #expect(hashes == hashes.sorted())
    #expect(Set(hashes) == Set(["a", "b", "c", "d", "e"].map { NameHash(of: Array($0.utf8)) }))
  }

  @Test func `a time ahead of the clock that rests hides no change`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    for ahead in [60.0, 3000, 86400] {
      try FileManager.default.setAttributes(
        [.modificationDate: Date() + ahead], ofItemAtPath: scratch.url("INBOX/cur").path)
      #expect(try !FolderScan.read(folder).isRaced)
    }
  }

  @Test func `one base name in several files is seen`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    for name in ["new/a", "cur/a:2,S", "cur/b:2,S", "cur/b:2,FS", "cur/c:2,"] {
      try scratch.write("", to: "INBOX/" + name)
    }
    let scan = try FolderScan.read(folder)
    #expect(Set(scan.duplicates) == [NameHash(of: Array("a".utf8)), NameHash(of: Array("b".utf8))])
    #expect(scan.find(base: [UInt8]("a"))?.subdirectory == .cur)
  }

  @Test func `unknown files are told by their full names`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    for name in ["new/a", "cur/b:2,S", "cur/c:2,"] { try scratch.write("", to: "INBOX/" + name) }
    var names: [String] = []
    try FolderScan.unknown(
      in: folder, known: [NameHash(of: Array("a".utf8)), NameHash(of: Array("c".utf8))].sorted()
    ) {
      names.append($0.description)
    }
    #expect(names == ["cur/b:2,S"])
    var all: [String] = []
    try FolderScan.forEachFile(in: folder) { all.append($0.description) }
    #expect(all.sorted() == ["cur/b:2,S", "cur/c:2,", "new/a"])
  }

  @Test func `names of any bytes are carried`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let name: [UInt8] = [0xFF, 0x0A, 0x80, 0x3A, 0x32, 0x2C, 0x53]
    let path = Array(scratch.url("INBOX/cur/").path.utf8) + [0x2F] + name + [0]
    let file = path.withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { creat($0.baseAddress!, 0o600) }
    }
    close(file)
    let scan = try FolderScan.read(folder)
    #expect(scan.find(base: [0xFF, 0x0A, 0x80])?.flags == .seen)
    let changed = try folder.setFlags(
      [], of: MessageFile(subdirectory: .cur, name: name), policy: MaildirPolicy())
    #expect(changed.name == [0xFF, 0x0A, 0x80, 0x3A, 0x32, 0x2C])
  }

  @Test func `an unchanged folder is known as such only when it had rest`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    try scratch.write("", to: "INBOX/cur/a:2,")
    func change(_ seconds: Double) throws {
      for part in ["INBOX/cur", "INBOX/new"] {
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSinceNow: seconds)],
          ofItemAtPath: scratch.url(part).path)
      }
    }
    // Just now, however long this test is kept waiting.
    try change(60)
    let fresh = try folder.stamp()
    #expect(!fresh.isSettled)
    #expect(!(try folder.stamp().provesUnchanged(since: fresh)))
    try change(-100)
    let old = try folder.stamp()
    #expect(old.isSettled)
    #expect(try folder.stamp().provesUnchanged(since: old))
    try scratch.write("", to: "INBOX/cur/b:2,")
    #expect(!(try folder.stamp().provesUnchanged(since: old)))
  }

  @Test func `another folder with the same times is not the one that was seen`() throws {
    let scratch = try ScratchTree()
    for name in ["one", "two"] {
      _ = try scratch.folder(name)
      for part in ["/cur", "/new"] {
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)],
          ofItemAtPath: scratch.url(name + part).path)
      }
    }
    let (one, two) = (try scratch.folder("one").stamp(), try scratch.folder("two").stamp())
    #expect(one.newModified == two.newModified && one.curModified == two.curModified)
    #expect(one.provesUnchanged(since: one) && !two.provesUnchanged(since: one))
    #expect(!one.matches(two))
  }

  /// Where times are whole seconds, two changes have the same one for that long.
  @Test func `a change shows at once where the clock is fine, and after seconds where it is not`() {
    let second: Int64 = 1_000_000_000
    let now = 1_800_000_000 * second + 700_000_000
    func shows(_ new: Int64, _ cur: Int64) -> Bool {
      var stamp = FolderStamp.none
      (stamp.newModified, stamp.curModified) = (new, cur)
      return stamp.showsChanges(after: now)
    }
    let (fine, coarse) = (now - 150_000_001, 1_799_999_997 * second)
    #expect(shows(fine, fine) && shows(coarse, coarse))
    for modified in [now - 50_000_001, now + 1, 1_799_999_999 * second] {
      #expect(!shows(modified, fine) && !shows(coarse, modified))
    }
  }

  @Test func `a reader at work never makes a scan lose a message unnoticed`() async throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let policy = MaildirPolicy(fsync: false)
    for number in 0..<2000 { try scratch.write("", to: "INBOX/cur/m\(number):2,") }
    let reader = Task.detached {
      var numbers = SeededNumbers(seed: 10)
      var seen = [Bool](repeating: false, count: 2000)
      while !Task.isCancelled {
        let pick = Int.random(in: 0..<2000, using: &numbers)
        let name = [UInt8]("m\(pick):2,\(seen[pick] ? "S" : "")")
        seen[pick].toggle()
        _ = try folder.setFlags(
          seen[pick] ? .seen : [], of: MessageFile(subdirectory: .cur, name: name), policy: policy)
      }
    }
    for _ in 0..<30 {
      let scan = try FolderScan.read(folder, tries: 1)
      if !scan.isRaced { #expect(scan.count == 2000) }
    }
    reader.cancel()
    _ = try? await reader.value
    let scan = try FolderScan.read(folder)
    #expect(scan.count == 2000)
    #expect(!scan.isRaced)
  }
}
