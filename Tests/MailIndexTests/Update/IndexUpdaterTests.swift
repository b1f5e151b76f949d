import Foundation
import Testing

@testable import MailIndex

@Suite struct IndexUpdaterTests {
  let lab: IndexLab
  init() throws { lab = try IndexLab() }

  @Test func `a second run opens no file`() throws {
    try lab.put("home/INBOX", "cur/1.a:2,S", lab.mail("a"))
    try lab.put("home/INBOX", "new/2.b", lab.mail("b", replyTo: "a"))
    let first = try lab.update()
    #expect(first.addedMessages == 2 && first.read == 2 && first.problems == [])
    let second = try lab.update()
    #expect(second.changedNothing && second.messages == 2)
    #expect(try lab.number("SELECT count(*) FROM threads") == 1)
    #expect(try lab.strings("SELECT name || total || unread FROM mailboxes") == ["INBOX21"])
    try lab.expectSound()
  }

  /// Promise 10: not a byte, not even where SQLite would count a transaction, or a folder has come to rest.
  @Test func `a run that finds nothing new writes nothing`() throws {
    try lab.put("home/INBOX", "cur/1.a:2,S", lab.mail("a"))
    try lab.makeFolder("home/Sent")
    try lab.update()
    let bytes = { try Data(contentsOf: URL(fileURLWithPath: self.lab.root + "/.mirror/index.db")) }
    let first = try bytes()
    try lab.update()
    #expect(try bytes() == first)
    usleep(2_600_000)
    try lab.update()
    #expect(try bytes() == first)
    try lab.put("home/INBOX", "cur/2.b:2,S", lab.mail("b"))
    try lab.update()
    #expect(try lab.strings("SELECT path FROM mailbox WHERE settled = 3") == ["home/Sent"])
  }

  @Test func `a new flag opens no file and keeps the row`() throws {
    try lab.put("home/INBOX", "new/1.a", lab.mail("a"))
    try lab.update()
    let id = try lab.number("SELECT id FROM messages")
    #expect(try lab.number("SELECT unread_count FROM threads") == 1)
    try lab.move("home/INBOX/new/1.a", to: "home/INBOX/cur/1.a:2,FS")
    let summary = try lab.update()
    #expect(summary.read == 0 && summary.renamed == 1 && summary.removedFiles == 0)
    #expect(try lab.number("SELECT id FROM messages WHERE is_flagged AND NOT is_unread") == id)
    #expect(try lab.number("SELECT unread_count FROM threads") == 0)
    #expect(try lab.strings("SELECT path || flags FROM files") == ["home/INBOX/cur/1.a:2,FSFS"])
    try lab.expectSound()
  }

  @Test func `a message moved by rename keeps its row unread`() throws {
    try lab.put("home/INBOX", "cur/1.a:2,S", lab.mail("a"))
    try lab.makeFolder("home/Archive/2024")
    try lab.update()
    let id = try lab.number("SELECT id FROM messages")
    try lab.move("home/INBOX/cur/1.a:2,S", to: "home/Archive/2024/cur/9.z:2,S")
    let summary = try lab.update()
    #expect(summary.read == 0 && summary.renamed == 1)
    #expect(try lab.number("SELECT id FROM messages") == id)
    #expect(try lab.strings("SELECT mailbox FROM files") == ["Archive/2024"])
    #expect(try lab.found("tea") == ["a@example.org"])
    try lab.expectSound()
  }

  @Test func `a message moved by copy and delete keeps its row`() throws {
    let mail = lab.mail("a")
    try lab.put("home/INBOX", "cur/1.a:2,S", mail)
    try lab.makeFolder("home/Archive")
    try lab.update()
    let id = try lab.number("SELECT id FROM messages")
    try lab.remove("home/INBOX/cur/1.a:2,S")
    try lab.put("home/Archive", "cur/5.q:2,S", mail)
    let summary = try lab.update()
    #expect(summary.read == 1 && summary.removedFiles == 1 && summary.addedMessages == 0)
    #expect(try lab.number("SELECT id FROM messages") == id)
    #expect(try lab.number("SELECT count(*) FROM dead") == 0)
    try lab.expectSound()
  }

  @Test func `one mail that came by two ways is one message with two files`() throws {
    try lab.put("home/INBOX", "cur/1.a:2,F", lab.mail("a"))
    try lab.put(
      "home/Lists", "cur/2.b:2,ST",
      "Delivered-To: someone@example.org\nStatus: RO\n"
        + lab.mail("a").replacing("\n", with: "\r\n"))
    try lab.update()
    #expect(try lab.number("SELECT count(*) FROM messages") == 1)
    #expect(try lab.number("SELECT count(*) FROM files") == 2)
    #expect(
      try lab.number(
        "SELECT id FROM messages WHERE is_flagged AND NOT is_unread AND NOT is_trashed")
        != nil)
    try lab.remove("home/INBOX/cur/1.a:2,F")
    try lab.update()
    #expect(
      try lab.number(
        "SELECT id FROM messages WHERE NOT is_flagged AND NOT is_unread AND is_trashed")
        != nil)
    try lab.expectSound()
  }

  @Test func `one Message-ID with two contents is two messages`() throws {
    try lab.put("home/INBOX", "cur/1.a:2,S", lab.mail("a", body: "first"))
    try lab.put("home/INBOX", "cur/2.a:2,S", lab.mail("a", body: "second"))
    try lab.update()
    #expect(try lab.number("SELECT count(*) FROM messages") == 2)
    #expect(try lab.found("first OR second").count == 2)
    try lab.expectSound()
  }

  @Test func `a message without Message-ID gets a key from its content`() throws {
    let mail = "From: a@b.example\nSubject: none\nDate: 1 Feb 2024 10:00:00 +0000\n\nhello\n"
    try lab.put("home/INBOX", "cur/1.a:2,S", mail)
    try lab.put("home/Sent", "cur/1.a:2,S", mail)
    try lab.update()
    #expect(
      try lab.number("SELECT count(*) FROM messages WHERE message_id LIKE '%@content.invalid'") == 1
    )
  }

  @Test func `what was deleted leaves no trace in results`() throws {
    try lab.put("home/INBOX", "cur/1.a:2,S", lab.mail("a"))
    try lab.put("home/INBOX", "cur/2.b:2,S", lab.mail("b", replyTo: "a", extra: "X-Keywords: x\n"))
    try lab.update()
    try lab.remove("home/INBOX/cur/2.b:2,S")
    let summary = try lab.update()
    #expect(summary.removedFiles == 1 && summary.messages == 1 && summary.dead == 1)
    #expect(try lab.found("tea") == ["a@example.org"])
    #expect(try lab.number("SELECT count(*) FROM keywords") == 0)
    #expect(try lab.number("SELECT message_count FROM threads") == 1)
    try lab.expectSound()
    try lab.put("home/INBOX", "cur/3.b:2,S", lab.mail("b", replyTo: "a"))
    try lab.update()
    #expect(try lab.found("tea") == ["a@example.org", "b@example.org"])
    try lab.expectSound()
  }

  @Test func `a changed keywords line keeps the row and the search text`() throws {
    try lab.put("home/INBOX", "cur/1.a:2,S", "X-Keywords: work, $Junk\n" + lab.mail("a"))
    try lab.update()
    let id = try lab.number("SELECT id FROM messages")
    #expect(try lab.strings("SELECT keyword FROM keywords ORDER BY 1") == ["$Junk", "work"])
    try lab.put("home/INBOX", "tmp/x", "X-Keywords: work, later, %2C\n" + lab.mail("a"))
    #expect(rename(lab.root + "/home/INBOX/tmp/x", lab.root + "/home/INBOX/cur/1.a:2,S") == 0)
    let summary = try lab.update()
    #expect(summary.read == 1 && summary.addedMessages == 0)
    #expect(try lab.strings("SELECT keyword FROM keywords ORDER BY 1") == [",", "later", "work"])
    #expect(try lab.number("SELECT id FROM messages") == id)
    #expect(try lab.number("SELECT count(*) FROM message_text_docsize") == 1)
    try lab.expectSound()
  }

  @Test func `a message is as long as it is without our keywords line`() throws {
    let mail = lab.mail("a")
    try lab.put("home/INBOX", "cur/1.a:2,S", "X-Keywords: work, play\n" + mail)
    try lab.update()
    #expect(try lab.number("SELECT size FROM messages") == mail.utf8.count)
    #expect(try lab.number("SELECT size FROM files") == mail.utf8.count + 23)
  }

  @Test func `letters of Dovecot's are keywords`() throws {
    try lab.put("home/INBOX", "cur/1.a:2,Sb", lab.mail("a"))
    try Data("0 old\n1 news\n".utf8).write(
      to: URL(fileURLWithPath: lab.root + "/home/INBOX/dovecot-keywords"))
    try lab.update()
    #expect(try lab.strings("SELECT keyword FROM keywords") == ["news"])
    try lab.move("home/INBOX/cur/1.a:2,Sb", to: "home/INBOX/cur/1.a:2,S")
    try lab.update()
    #expect(try lab.strings("SELECT keyword FROM keywords") == [])
  }

  @Test func `an edit in place is seen by a thorough run`() throws {
    try lab.put("home/INBOX", "cur/1.a:2,S", lab.mail("a", body: "first"))
    try lab.update()
    let handle = try #require(FileHandle(forWritingAtPath: lab.root + "/home/INBOX/cur/1.a:2,S"))
    try handle.truncate(atOffset: 0)
    handle.write(Data(lab.mail("a", body: "second thoughts").utf8))
    try handle.close()
    #expect(try lab.update(.thorough).read == 1)
    #expect(try lab.found("first") == [])
    #expect(try lab.found("thoughts") == ["a@example.org"])
    try lab.expectSound()
  }

  @Test func `a folder that is gone takes its mail along, a renamed one keeps it`() throws {
    for number in 1...5 { try lab.put("home/Old", "cur/\(number).a:2,S", lab.mail("a\(number)")) }
    try lab.put("home/INBOX", "cur/1.b:2,S", lab.mail("b"))
    try lab.update()
    let ids = try lab.strings("SELECT id FROM messages ORDER BY 1")
    try lab.move("home/Old", to: "home/New")
    let moved = try lab.update()
    #expect(moved.read == 0 && moved.renamed == 5)
    #expect(try lab.strings("SELECT id FROM messages ORDER BY 1") == ids)
    #expect(try lab.strings("SELECT name FROM mailboxes ORDER BY 1") == ["INBOX", "New"])
    try lab.remove("home/New")
    try lab.update()
    #expect(try lab.strings("SELECT name FROM mailboxes") == ["INBOX"])
    #expect(try lab.number("SELECT count(*) FROM messages") == 1)
    try lab.expectSound()
  }

  @Test func `what is no readable file is told, and the rest is indexed`() throws {
    try lab.put("home/INBOX", "cur/1.a:2,S", lab.mail("a"))
    let folder = lab.root + "/home/INBOX/cur/"
    try FileManager.default.createDirectory(
      atPath: folder + "2.dir", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: folder + "3.dangling", withDestinationPath: "nowhere")
    #expect(mkfifo(folder + "4.fifo", 0o600) == 0)
    _ = FileManager.default.createFile(atPath: folder + "5.huge", contents: nil)
    #expect(truncate(folder + "5.huge", 3 << 30) == 0)
    let summary = try lab.update()
    #expect(summary.addedMessages == 1)
    #expect(
      Set(summary.problems.map(\.path)) == [
        "home/INBOX/cur/3.dangling", "home/INBOX/cur/4.fifo", "home/INBOX/cur/5.huge",
      ])
    #expect(try lab.update().messages == 1)
  }

  @Test func `whatever bytes a file holds, it becomes a message that is found by its flags`() throws
  {
    let odd = [
      "", "\n", "\r\n\r\n", "no header at all", "From: \n\n", "Subject: x", ":\n:\n\n",
      "Date: never\nMessage-ID: <>\n\nx", "Content-Type: multipart/mixed; boundary=b\n\n--b",
      "Message-ID: <a@b>\nDate: Thu, 1 Jan 1970 00:00:00 +0000\n\n\u{0}",
      String(repeating: "x", count: 100_000),
      "To: " + String(repeating: "a@b.example, ", count: 5_000) + "\n\n",
    ]
    for (number, text) in odd.enumerated() {
      try lab.put("home/INBOX", "cur/\(number).odd:2,F", text + "\n\(number)")
    }
    try lab.put("home/INBOX", "cur/99.empty:2,F", "")
    #expect(try lab.update().problems == [])
    #expect(try lab.number("SELECT count(*) FROM messages WHERE is_flagged") == odd.count + 1)
    try lab.expectSound()
  }

  @Test func `names that are no UTF-8 are kept byte for byte`() throws {
    try lab.makeFolder("home/INBOX")
    let name: [CChar] =
      Array((lab.root + "/home/INBOX/cur/1.").utf8CString.dropLast()) + [-1, -2, 0]
    let file = open(name, O_WRONLY | O_CREAT, 0o600)
    #expect(file >= 0)
    _ = lab.mail("a").withCString { write(file, $0, strlen($0)) }
    close(file)
    #expect(try lab.update().problems == [])
    #expect(try lab.number("SELECT count(*) FROM file WHERE name = x'312EFFFE'") == 1)
    #expect(try lab.update().changedNothing)
    try lab.expectSound()
  }

  @Test func `a name that is a directory's is no message, a folder without cur no folder`() throws {
    try lab.put("home/INBOX", "cur/1.a:2,S", lab.mail("a"))
    try FileManager.default.createDirectory(
      atPath: lab.root + "/home/Half/new", withIntermediateDirectories: true)
    try lab.update()
    #expect(try lab.strings("SELECT name FROM mailboxes") == ["INBOX"])
    // What is no whole Maildir is none; its mail comes back with it.
    try lab.move("home/INBOX/tmp", to: "home/INBOX/elsewhere")
    #expect(try lab.update().messages == 0)
    try lab.move("home/INBOX/elsewhere", to: "home/INBOX/tmp")
    #expect(try lab.update().messages == 1)
    try lab.expectSound()
  }

  @Test func `only one run at a time`() throws {
    try lab.put("home/INBOX", "cur/1.a:2,S", lab.mail("a"))
    try lab.update()
    let lock = try IndexLock(root: lab.root, patience: 0)
    var updater = IndexUpdater(root: lab.root)
    updater.patience = 0
    #expect(throws: IndexError.busy(holder: "process \(getpid())")) { try updater.run() }
    withExtendedLifetime(lock) {}
    #expect(try lab.found("tea") == ["a@example.org"])
  }

  @Test func `a root that is not there is an error, one without mail an empty index`() throws {
    #expect(throws: IndexError.noTree(root: "/nowhere/at/all")) {
      try IndexUpdater(root: "/nowhere/at/all").run()
    }
    #expect(throws: IndexError.missing(root: lab.root)) { try IndexReader.open(root: lab.root) }
    #expect(try lab.update().messages == 0)
    #expect(try lab.number("SELECT count(*) FROM messages") == 0)
  }

  @Test func `the plain sqlite3 program reads all views`() throws {
    try lab.put("home/INBOX", "cur/1.a:2,S", "X-Keywords: work\n" + lab.mail("a"))
    try lab.update()
    let program = "/usr/bin/sqlite3"
    guard FileManager.default.isExecutableFile(atPath: program) else { return }
    let views = [
      "messages", "files", "threads", "attachments", "mailboxes", "keywords", "addresses",
      "send_queue", "message_text",
    ]
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = [
      "-bail", IndexReader.path(root: lab.root),
      views.map { "SELECT count(*) FROM \($0);" }.joined()
        + "SELECT subject FROM messages WHERE id IN (SELECT rowid FROM message_text('tea'));",
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(String(decoding: output, as: UTF8.self) == "1\n1\n1\n0\n1\n1\n2\n0\n1\nTea\n")
  }
}
