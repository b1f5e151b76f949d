import MailCore
import Maildir
import Testing

struct DovecotKeywordsTests {
  let policy = MaildirPolicy(keywords: .dovecot, fsync: false)

  @Test func `letters are given once and stay`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let first = try deliver(
      [UInt8]("a: b\r\n\r\n"), to: folder, policy: policy,
      marks: MessageMarks(keywords: ["work", "later"]))
    #expect(first.file.subdirectory == .cur)
    #expect(first.file.fileName.bytes(separator: .colon).text.hasSuffix(":2,ab"))
    #expect(try scratch.bytes("INBOX/dovecot-keywords").text == "0 later\n1 work\n")
    let second = try deliver(
      [UInt8]("a: b\r\n\r\n"), to: folder, policy: policy,
      marks: MessageMarks(flags: .seen, keywords: ["WORK", "new"]), uid: 2)
    #expect(second.file.name.text.hasSuffix(":2,Sbc"))
    #expect(try folder.localKeywords(of: second.file, policy: policy).own == ["work", "new"])
    #expect(try scratch.bytes(second.file, in: "INBOX").text == "a: b\n\n")
    let (changed, leftOut) = try folder.setKeywords(["later"], of: second.file, policy: policy)
    #expect(changed.name.text.hasSuffix(":2,Sa"))
    #expect(leftOut.isEmpty)
  }

  @Test func `what Dovecot wrote is understood, gaps are not filled`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    try scratch.write("0 $Junk\n3 work\nnonsense\n99 no\n", to: "INBOX/dovecot-keywords")
    let (letters, leftOut) = try DovecotKeywords.letters(
      for: ["$junk", "more"], in: folder, fsync: false)
    #expect(letters == [KeywordLetters(index: 0), KeywordLetters(index: 4)])
    #expect(leftOut.isEmpty)
    #expect(
      try DovecotKeywords.read(in: folder).keywords(of: KeywordLetters(rawValue: .max)) == [
        "$Junk", "work", "more",
      ])
  }

  @Test func `a move keeps the keywords, by whatever letters`() throws {
    let scratch = try ScratchTree()
    let (inbox, archive) = (try scratch.folder("INBOX"), try scratch.folder("Archive"))
    try scratch.write("0 todo\n", to: "INBOX/dovecot-keywords")
    try scratch.write("0 work\n", to: "Archive/dovecot-keywords")
    try scratch.write("a: b\n\n", to: "INBOX/cur/1.h:2,Sa")
    let file = MessageFile(subdirectory: .cur, name: [UInt8]("1.h:2,Sa"))
    let moved = try inbox.move(file, to: archive, policy: policy)
    #expect(moved.name.text == "1.h:2,Sb")
    #expect(try archive.localKeywords(of: moved, policy: policy).own == ["todo"])
  }

  @Test func `the twenty-seventh keyword is reported, not dropped in silence`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let many = Keywords((10..<40).map { "k\($0)" })
    let (letters, leftOut) = try DovecotKeywords.letters(for: many, in: folder, fsync: false)
    #expect(letters.rawValue.nonzeroBitCount == 26)
    #expect(leftOut.count == 4)
    let (again, leftAgain) = try DovecotKeywords.letters(for: many, in: folder, fsync: false)
    #expect(again == letters)
    #expect(leftAgain == leftOut)
  }

  @Test func `programs that give letters at the same time give each keyword one of its own`()
    async throws
  {
    let scratch = try ScratchTree()
    _ = try scratch.folder("INBOX")
    let given = try await withThrowingTaskGroup(of: KeywordLetters.self) { group in
      for number in 0..<20 {
        // Each with a folder of its own, as processes have.
        let folder = try scratch.folder("INBOX")
        group.addTask {
          try DovecotKeywords.letters(for: ["k\(number)"], in: folder, fsync: false).0
        }
      }
      return try await group.reduce(into: Set<UInt32>()) { $0.insert($1.rawValue) }
    }
    #expect(given.count == 20)
    let folder = try scratch.folder("INBOX")
    #expect(try DovecotKeywords.read(in: folder).lettered.count == 20)
  }

  @Test func `a move that must be goes without a letter`() throws {
    let scratch = try ScratchTree()
    let (inbox, archive) = (try scratch.folder("INBOX"), try scratch.folder("Archive"))
    try scratch.write("0 todo\n", to: "INBOX/dovecot-keywords")
    try scratch.write(
      (0..<26).map { "\($0) k\($0)\n" }.joined(), to: "Archive/dovecot-keywords")
    try scratch.write("a: b\n\n", to: "INBOX/cur/1.h:2,Sa")
    let file = MessageFile(subdirectory: .cur, name: [UInt8]("1.h:2,Sa"))
    let moved = try inbox.move(
      file, to: archive, policy: policy, letters: .translatedAsFarAsPossible)
    #expect(moved.name.text == "1.h:2,S")
  }
}
