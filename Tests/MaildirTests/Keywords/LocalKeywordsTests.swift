import MailCore
import Maildir
import Testing

struct LocalKeywordsTests {
  let policy = MaildirPolicy(fsync: false)

  private func keywords(_ file: String, native: Keywords = .none) throws -> Keywords {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    try scratch.write(file, to: "INBOX/cur/a:2,S")
    return try folder.localKeywords(
      of: MessageFile(subdirectory: .cur, name: [UInt8]("a:2,S")), policy: policy
    ).set(beyond: native)
  }

  @Test func `a reader may change our line`() throws {
    #expect(try keywords("X-Keywords: a, c\nFrom: x\n\nbody\n") == ["a", "c"])
  }

  @Test func `a reader may move our line down`() throws {
    #expect(try keywords("From: x\nX-Keywords: a, b\n\nbody\n") == ["a", "b"])
  }

  @Test func `a reader may add its own header beside ours`() throws {
    #expect(
      try keywords("X-Keywords: a\nFrom: x\nX-Label: todo\nKeywords: b,\n c\n\nbody\n") == [
        "a", "b", "c", "todo",
      ])
  }

  @Test func `labels that the message brought along are not the reader's`() throws {
    let native: Keywords = ["list", "news"]
    #expect(try keywords("X-Keywords: a\nKeywords: list, news\n\n", native: native) == ["a"])
    #expect(try keywords("Keywords: list, news\n\n", native: native) == .none)
    #expect(try keywords("Keywords: list, news\nX-Label: mine\n\n", native: native) == ["mine"])
  }

  @Test func `the body is no header`() throws {
    #expect(try keywords("From: x\n\nX-Keywords: a\n") == .none)
  }
}
