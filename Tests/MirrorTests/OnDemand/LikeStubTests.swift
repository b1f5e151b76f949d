import Foundation
import MailTestKit
import Testing

/// Whole messages that only look like stubs, moved from one account of a tree to another: what one server lost, the other
/// gets.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct LikeStubTests {
  private func shell(_ words: String...) throws { try runSuccessfully(words) }

  /// A whole message with a part like the text that stands in a part's place.
  private func forwarded(_ token: String, octets: Int) -> SampleMessage {
    SampleMessage(
      bytes: crlf(
        """
        From: Eve <eve@example.org>
        To: bob@example.org
        Subject: Files \(token)
        Date: Sun, 13 Sep 2020 12:26:40 +0000
        Message-ID: <\(token)@example.org>
        MIME-Version: 1.0
        Content-Type: multipart/mixed; boundary=q

        --q
        Content-Type: text/plain

        important text
        --q
        Content-Type: text/plain
        X-Mirror-Part: size=\(octets)
        X-Mirror-Was-Content-Type: application/pdf

        Not here: a.pdf (application/pdf, 66 kB). Get it with: mirror fill id:m@example.org
        --q--

        """), date: 1_600_000_000)
  }

  @Test func `a whole message that looks like a stub is moved to another account`() throws {
    let two = try TwoAccounts()
    try two.a.append([forwarded("f", octets: 89_932)])
    let bytes = try two.a.messages(in: "INBOX")[0].bytes
    try two.pull()
    try two.move(two.file("a/INBOX"), to: "b/INBOX")
    #expect(try two.mirror.run(["push"]).status == 0)
    #expect(try two.a.messages(in: "INBOX").isEmpty)
    #expect(try two.b.messages(in: "INBOX").map(\.bytes) == [bytes])
  }

  @Test func `a whole message that looks like a stub holds no deletion back, and is sent`() throws {
    let two = try TwoAccounts()
    try two.a.create("Archive")
    try two.a.append([OnDemandMail.mixed("m")])
    try two.pull()
    try shell("rm", two.file("a/INBOX"))
    let drafts: [(String, [UInt8])] = [
      (
        "quoted",
        crlf("Subject: q\nMessage-ID: <q@x>\n\nlook at this line:\nX-Mirror-Part: size=1\n")
      ),
      ("imported", forwarded("f", octets: 89_932).bytes),
    ]
    for (name, bytes) in drafts {
      try writeFile(
        two.root + "/a/Archive/cur/\(name):2,S",
        String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n"))
    }
    let pushed = try two.mirror.run(["push"])
    #expect(pushed.status == 0, "\(pushed.summary)")
    #expect(try two.a.messages(in: "INBOX").isEmpty)
    #expect(try two.a.messages(in: "Archive").count == 2)
  }

  @Test func `a draft that encloses a stub as a message is sent`() throws {
    let two = try TwoAccounts()
    try two.a.append([OnDemandMail.mixed("m")])
    try two.pull()
    let stub = try String(contentsOfFile: two.file("a/INBOX"), encoding: .isoLatin1)
    try writeFile(
      two.root + "/a/Drafts/cur/d:2,DS",
      """
      From: bob@example.org
      Subject: fwd
      Message-ID: <fwd@example.org>
      MIME-Version: 1.0
      Content-Type: multipart/mixed; boundary=o

      --o
      Content-Type: text/plain

      see
      --o
      Content-Type: message/rfc822

      \(stub)
      --o--

      """)
    let pushed = try two.mirror.run(["push"])
    #expect(pushed.status == 0, "\(pushed.summary)")
    #expect(try two.a.messages(in: "Drafts").count == 1)
  }

  @Test func `ordinary mail that speaks of stubs is deleted and edited as any other`() throws {
    let two = try TwoAccounts()
    try two.a.append([OnDemandMail.mixed("m")])
    for (token, text) in [
      ("n", "Not here: we moved to the second floor."),
      ("q", "X-Mirror-Part: size=1"), ("c", "mirror fill id:m@example.org"),
    ] {
      try two.a.append([SampleMessage(token: token, body: text)])
    }
    try two.pull()
    // A disk is away.
    try FileManager.default.createSymbolicLink(
      atPath: two.root + "/backup", withDestinationPath: "/nowhere/Mail")
    for file in try two.files("a/INBOX") { try shell("rm", file) }
    _ = try two.mirror.run(["push"])
    #expect(try two.a.messages(in: "INBOX").count == 1, "the stub's own")
    #expect(try two.a.messages(in: "INBOX").allSatisfy { contains($0.bytes, Array("<m@".utf8)) })
  }

  // MARK: With the line of a stub in the header

  private static let line = "X-Mirror-Stub: 1; size=90000; parts=2\n"

  /// A whole message whose header has such a line, as a sender or a program wrote it.
  private func forged(_ token: String, below: String = "") -> SampleMessage {
    SampleMessage(
      bytes: crlf(
        below + Self.line + """
          From: Eve <eve@example.org>
          Subject: Files \(token)
          Date: Sun, 13 Sep 2020 12:26:40 +0000
          Message-ID: <\(token)@example.org>

          important text

          """), date: 1_600_000_000)
  }

  @Test(arguments: [
    "", "Return-Path: <x@y>\n", "Delivered-To: b@x\nX-Bogosity: no\n", "\n", "\n \n\n",
    "From eve Sun Sep 13 12:26:40 2020\n\n",
  ])
  func `as it was pulled it comes to the other server, and then goes from the first`(below: String)
    throws
  {
    let two = try TwoAccounts()
    try two.a.append([forged("w", below: below)])
    let bytes = try two.a.messages(in: "INBOX")[0].bytes
    try two.pull()
    try two.move(two.file("a/INBOX"), to: "b/INBOX")
    // The line that says that it is whole is certain; one further below is not.
    let first = try two.mirror.run(["push", "a"])
    if !below.isEmpty {
      #expect(first.status == 1 && first.errorText.contains("other:2,S"), "\(first.summary)")
      #expect(try two.a.messages(in: "INBOX").count == 1, "no other server has it")
    }
    #expect(try two.mirror.run(["push", "b"]).status == 0)
    #expect(try two.b.messages(in: "INBOX").map(\.bytes) == [bytes])
    #expect(try two.mirror.run(["push"]).status == 0)
    #expect(try two.a.messages(in: "INBOX").isEmpty)
    try two.pull()
    #expect(try two.files("b/INBOX").count == 1)
  }

  @Test func `with keywords of its reader it comes to the other server, too`() throws {
    let two = try TwoAccounts()
    try two.a.append([forged("w")])
    let bytes = try two.a.messages(in: "INBOX")[0].bytes
    try two.pull()
    try two.move(two.file("a/INBOX"), to: "b/INBOX") {
      $0.replacing(/^X-Keywords: *\n/, with: "X-Keywords: urgent\n")
    }
    #expect(try two.mirror.run(["push", "b"]).status == 0)
    #expect(try two.b.messages(in: "INBOX").map(\.bytes) == [bytes])
    #expect(try two.mirror.run(["push"]).status == 0)
    #expect(try two.a.messages(in: "INBOX").isEmpty)
  }

  @Test(arguments: ["b/INBOX", "a/Archive"], [true, false])
  func `changed on the way it stays on its server, and is told`(target: String, loses: Bool) throws
  {
    let two = try TwoAccounts()
    try two.a.create("Archive")
    try two.a.append([forged("w", below: "Return-Path: <x@y>\n")])
    try two.pull()
    try two.move(two.file("a/INBOX"), to: target) { text in
      // Return-Path stands no longer above the line that it does not prove.
      (loses ? String(text.drop { $0 != "\n" }.dropFirst()) : text)
        .replacing("Files", with: "[list] Files")
    }
    for _ in 0..<2 {
      let waiting = try two.mirror.run(["push"])
      #expect(waiting.status == 1 && waiting.errorText.contains("other:2,S"), "\(waiting.summary)")
      #expect(try two.a.messages(in: "INBOX").count == 1)
    }
    // As it is told.
    #expect(try two.mirror.run(["revert", "-y", "a"]).status == 0)
    try shell("rm", two.root + "/" + target + "/cur/other:2,S")
    try shell("mv", two.file("a/INBOX"), two.root + "/" + target + "/cur/again:2,S")
    _ = try two.mirror.run(["push"])
    #expect(try two.mirror.run(["push"]).status == 0)
    let found = try (target == "b/INBOX" ? two.b : two.a).messages(
      in: target == "b/INBOX" ? "INBOX" : "Archive")
    #expect(found.count == 1)
    #expect(try two.a.messages(in: "INBOX").isEmpty)
  }

  @Test func `deleted, it goes, also into a Maildir that is no account's`() throws {
    let two = try TwoAccounts()
    try two.a.append([forged("w"), forged("v")])
    try two.pull()
    let files = try two.files("a/INBOX").sorted()
    try shell("mkdir", "-p", two.root + "/attic/cur", two.root + "/attic/new")
    try shell("mv", files[0], two.root + "/attic/cur/other:2,S")
    try shell("rm", files[1])
    let pushed = try two.mirror.run(["push"])
    #expect(pushed.status == 0, "\(pushed.summary)")
    #expect(try two.a.messages(in: "INBOX").isEmpty)
  }

  // MARK: Without any line of ours

  @Test func `a stub without any field of ours is sent nowhere, and keeps its message`() throws {
    let two = try TwoAccounts()
    try two.a.append([OnDemandMail.mixed("m")])
    try two.pull()
    try two.move(two.file("a/INBOX"), to: "b/INBOX") { text in
      var isOurs = false
      return text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
        if line.first != "\t", line.first != " " { isOurs = line.hasPrefix("X-Mirror-") }
        return !isOurs
      }.joined(separator: "\n")
    }
    let waiting = try two.mirror.run(["push"])
    #expect(waiting.status == 1 && waiting.errorText.contains("other:2,S"), "\(waiting.summary)")
    #expect(try two.b.messages(in: "INBOX").isEmpty, "a part is no message")
    #expect(try two.a.messages(in: "INBOX").count == 1, "the only whole one")
  }
}
