import MailCore
import Maildir
import Testing

struct MessageReadingTests {
  let policy = MaildirPolicy(fsync: false)

  @Test func `the header comes without our line, up to the empty line`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let long = "References: " + String(repeating: "<a@b> ", count: 5000)
    for (uid, crlf) in [(1, false), (2, true)] as [(UInt32, Bool)] {
      let header = "From: a\r\n\(long)\r\nMessage-ID:\r\n <x@y>\r\n\r\n"
      let policy = MaildirPolicy(lineEndings: crlf ? .crlf : .lf, fsync: false)
      let file = try deliver(
        [UInt8](header + "body\r\n\r\n"), to: folder, policy: policy,
        marks: MessageMarks(keywords: ["k"]), uid: uid
      ).file
      let read = try folder.header(of: file, policy: policy)
      #expect(read.text == (crlf ? header : header.replacing("\r\n", with: "\n")))
      #expect(HeaderFields.value("message-id", in: read)?.text == "<x@y>")
    }
  }

  @Test func `a message that is all header is read to its end`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let file = try deliver([UInt8]("From: a\r\nSubject: b"), to: folder).file
    #expect(try folder.header(of: file, policy: policy).text == "From: a\nSubject: b")
  }

  @Test func `fields are found in any case and form`() {
    let header = [UInt8]("A: 1\r\nmessage-ID : <x>\r\n\t<y> \r\na:2\r\nAB: 3\r\n\r\nA: 4\r\n")
    #expect(HeaderFields.value("Message-Id", in: header)?.text == "<x>\t<y>")
    #expect(HeaderFields.values("a", in: header).map(\.text) == ["1", "2"])
    #expect(HeaderFields.value("missing", in: header) == nil)
  }

  @Test func `a message's form is worked out where no state tells it`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    for (uid, text) in [(1, "a: b\r\n\r\nc\r\n"), (2, "a: b\r\n\r\nbare\rc\r\n")]
      as [(UInt32, String)]
    {
      let delivered = try deliver(Array(text.utf8), to: folder, uid: uid)
      #expect(try serverBytes(delivered.file, in: folder, asCame: nil) == Array(text.utf8))
      #expect(try folder.digest(of: delivered.file, policy: policy) == delivered.digest)
    }
  }
}
