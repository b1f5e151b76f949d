import Foundation
import MailTestKit
import Testing

/// Folders that were renamed, that the server does not take, and that nobody can look into.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct PushFolderTests {
  private static let layouts = ["nested", "maildir++"]

  private func stage(_ layout: String) throws -> PushStage {
    try PushStage(.modern, count: 2, sync: "layout = \"\(layout)\"") { account in
      account.add("Work/sub")
      account.add("Work/empty")
      for (name, letter) in [("Work", "w"), ("Work/sub", "s")] {
        account.change(name) { box in
          for number in 0..<3 { box.deliver(SampleMessage(token: "\(letter)\(number)")) }
        }
      }
    }
  }

  private func folder(_ mailbox: String, _ layout: String) -> String {
    layout == "nested" ? mailbox : "." + mailbox.replacing("/", with: ".")
  }

  /// As a person does it: in the flat layout each folder by itself.
  private func rename(_ stage: PushStage, _ layout: String, below: [String] = ["/sub", "/empty"])
    throws
  {
    for part in layout == "nested" ? [""] : [""] + below {
      try FileManager.default.moveItem(
        atPath: stage.mirror.account + "/" + folder("Work" + part, layout),
        toPath: stage.mirror.account + "/" + folder("Job" + part, layout))
    }
  }

  private func exists(_ stage: PushStage, _ folder: String) -> Bool {
    FileManager.default.fileExists(atPath: stage.mirror.account + "/" + folder + "/cur")
  }

  @Test(arguments: layouts) func `a renamed folder takes those below along`(layout: String) throws {
    let stage = try stage(layout)
    try rename(stage, layout)
    try stage.push()
    #expect(stage.changes.count == 1 && stage.changes[0].contains("RENAME"), "\(stage.changes)")
    stage.server.forget()
    try stage.push()
    #expect(stage.changes == [])
    let sub = folder("Job/sub", layout)
    try stage.reader.setFlags(stage.local("s0"), "F")
    try stage.deliver("fresh", to: sub)
    stage.account.change("Job/sub") { $0.deliver(SampleMessage(token: "theirs")) }
    try stage.push()
    try stage.mirror.pull()
    #expect(stage.flags("s0") == ["\\Flagged"])
    #expect(stage.places("fresh") == ["Job/sub"])
    #expect(try stage.local("theirs").folder == sub)
    #expect(!exists(stage, folder("Work/sub", layout)))
    #expect(stage.account["Job/empty"] != nil && stage.account["Work"] == nil)
    stage.server.forget()
    try stage.push()
    #expect(stage.changes == [])
  }

  @Test func `in the flat layout a folder below goes along also where nobody renamed it`() throws {
    let stage = try stage("maildir++")
    try rename(stage, "maildir++", below: [])
    try stage.push()
    #expect(try stage.local("s0").folder == ".Job.sub")
    #expect(!exists(stage, ".Work.sub") && !exists(stage, ".Work.empty"))
    stage.server.forget()
    try stage.mirror.pull()
    try stage.push()
    #expect(stage.changes == [])
    #expect(stage.places("s0") == ["Job/sub"])
  }

  @Test func `a folder whose mailbox is called so already is only written down`() throws {
    let stage = try PushStage(.modern, count: 2) { account in
      account.add("100%")
      account.change("100%") { $0.deliver(SampleMessage(token: "p0")) }
    }
    try FileManager.default.moveItem(
      atPath: stage.mirror.account + "/100%25", toPath: stage.mirror.account + "/100%")
    try stage.push()
    #expect(stage.changes == [])
    try stage.reader.setFlags(stage.local("p0", in: "100%"), "F")
    try stage.push()
    #expect(stage.flags("p0") == ["\\Flagged"])
    try stage.expectSettled()
  }

  @Test(arguments: layouts, ["NO [CANNOT] not that name", "NO not now, not ever"])
  func `a folder whose new name is refused gets its old one again`(layout: String, words: String)
    throws
  {
    let stage = try stage(layout)
    try rename(stage, layout)
    try stage.reader.setFlags(stage.local("m0"), "F")
    try stage.reader.setFlags(stage.local("s0"), "F")
    stage.refusals.value = [("RENAME", "", words)]
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("its old name"), "\(outcome.errorText)")
    let asked = stage.server.server.received(named: ["RENAME"]).count
    #expect(asked == (words.contains("CANNOT") ? 1 : 4))
    #expect(stage.flags("m0") == ["\\Flagged"] && stage.flags("s0") == ["\\Flagged"])
    #expect(try stage.local("w0").folder == folder("Work", layout))
    #expect(try stage.local("s0").folder == folder("Work/sub", layout))
    #expect(!exists(stage, folder("Job", layout)) && !exists(stage, folder("Job/sub", layout)))
    #expect(stage.account.mailboxes.allSatisfy { !$0.name.hasPrefix("Job") })
    stage.server.forget()
    try stage.push()
    #expect(stage.changes == [])
  }

  @Test func `where the old name is taken the folder stays, and is not asked for again`() throws {
    let stage = try stage("nested")
    try rename(stage, "nested")
    let other = stage.mirror.account + "/Work"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
    try Data("x".utf8).write(to: URL(fileURLWithPath: other + "/notes"))
    stage.refusals.value = [("RENAME", "", "NO [CANNOT] not that name")]
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("taken here"), "\(outcome.errorText)")
    stage.server.forget()
    try stage.push(1)
    #expect(stage.changes == [])
    #expect(try stage.local("w0").folder == "Job")
    #expect(stage.places("w0") == ["Work"])
    stage.refusals.value = []
    try stage.push(0, "--full")
    #expect(stage.places("w0") == ["Job"] && stage.places("s0") == ["Job/sub"])
  }

  @Test func `a server that has no time for a new name undoes nothing`() throws {
    let stage = try stage("nested")
    try rename(stage, "nested")
    stage.refusals.value = [("RENAME", "", "NO [UNAVAILABLE] later")]
    try stage.push(1)
    #expect(try stage.local("w0").folder == "Job")
    stage.refusals.value = []
    try stage.push()
    #expect(stage.places("w0") == ["Job"] && stage.places("s0") == ["Job/sub"])
  }

  @Test(
    arguments: [("NO not that one", 3), ("NO [CANNOT] never", 1), ("NO [UNAVAILABLE] later", 9)])
  func `a mailbox that the server does not make is not asked for again, and nothing is lost`(
    words: String, tries: Int
  ) throws {
    let stage = try PushStage(.modern)
    try stage.makeFolder("Fresh")
    try stage.reader.move(stage.local("m0"), to: "Fresh")
    try stage.deliver("new", to: "Fresh")
    stage.refusals.value = [("CREATE", "", words)]
    for number in 1...4 {
      stage.server.forget()
      let outcome = try stage.push(1)
      #expect(outcome.errorText.contains("refuses to make this mailbox"), "\(outcome.errorText)")
      #expect(stage.changes.isEmpty == (number > tries))
      #expect(try stage.local("m0").folder == "Fresh" && stage.local("new").folder == "Fresh")
      #expect(stage.places("m0") == ["INBOX"])
    }
    stage.refusals.value = []
    try stage.push(0, "--full")
    #expect(stage.places("m0") == ["Fresh"] && stage.places("new") == ["Fresh"])
    try stage.expectSettled()
  }

  @Test func `a name that has no room for a flag stops no mailbox`() throws {
    let stage = try PushStage(.modern, count: 2)
    let name = String(repeating: "N", count: 255)
    try Data(SampleMessage(token: "long").bytes.filter { $0 != 13 }).write(
      to: URL(fileURLWithPath: stage.mirror.account + "/Work/new/" + name))
    try stage.push()
    let uid = try #require(stage.remote("long", in: "Work")?.uid)
    stage.account.change("Work") { box in
      box.setFlags(uid, ["\\Seen", "\\Flagged"])
      box.deliver(SampleMessage(token: "fresh"))
    }
    let outcome = try stage.mirror.pull()
    #expect(outcome.ending == .exited(0), "\(outcome.summary)")
    #expect(try stage.local("fresh").folder == "Work")
    #expect(try stage.local("long").flags == "FS")
    try stage.reader.setFlags(stage.local("long"), "S")
    try stage.push()
    #expect(stage.flags("long") == ["\\Seen"] && stage.places("long") == ["Work"])
    try stage.expectSettled()
  }

  @Test func `a folder that nobody can look into stops no other`() throws {
    let stage = try PushStage(.modern, count: 4) { account in
      account.add("Par/kid")
      account.change("Par/kid") { box in
        for number in 0..<3 { box.deliver(SampleMessage(token: "k\(number)")) }
      }
    }
    // Also root cannot follow a link that leads to itself.
    let path = stage.mirror.account + "/Par"
    let away = stage.mirror.home + "/away"
    try FileManager.default.moveItem(atPath: path, toPath: away)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "Par")
    try stage.reader.setFlags(stage.local("m0"), "F")
    try stage.reader.move(stage.local("m1"), to: "Work")
    try stage.reader.remove(stage.local("m2"))
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("“Par” cannot be looked into"), "\(outcome.errorText)")
    #expect(stage.flags("m0") == ["\\Flagged"] && stage.places("m1") == ["Work"])
    #expect(stage.places("m2") == ["INBOX"], "it may have been moved there")
    #expect(stage.account["Par/kid"]?.messages.count == 3)
    stage.account.change("INBOX") { $0.deliver(SampleMessage(token: "fresh")) }
    stage.account.change("Par/kid") { $0.deliver(SampleMessage(token: "k3")) }
    _ = try stage.mirror.pull()
    #expect(try stage.local("fresh").folder == "INBOX")
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: away, toPath: path)
    try stage.mirror.pull()
    try stage.push()
    #expect(stage.places("m2") == ["Trash"] && stage.account["Par/kid"]?.messages.count == 4)
    try stage.expectSettled()
  }

  @Test func `a dry run tells also what happens in folders that a push makes or renames`() throws {
    let stage = try stage("nested")
    try rename(stage, "nested")
    try stage.makeFolder("Projects")
    try stage.reader.setFlags(stage.local("w0"), "F")
    try stage.reader.move(stage.local("m0"), to: "Projects")
    try stage.deliver("one", to: "Projects")
    try stage.deliver("two", to: "Job")
    let text = try stage.push(0, "--dry-run").outputText
    #expect(stage.changes == [])
    for line in [
      "personal/Work: rename to Job", "personal/Projects: make this mailbox",
      "personal/Job: +flagged on 1 message", "personal/INBOX: move 1 message to Projects",
      "personal/Projects: send 1 message", "personal/Job: send 1 message",
    ] {
      #expect(text.contains(line), "\(text)")
    }
    let figures = "1 marked, 1 moved, 2 sent, 0 deleted, 0 waiting, 2 folders"
    #expect(text.contains(figures), "\(text)")
    let pushed = try stage.push().outputText
    #expect(pushed.contains(figures), "\(pushed)")
  }

  @Test func `a dry run knows that a second copy of what is moved is copied there`() throws {
    let stage = try PushStage(.modern)
    let message = try stage.local("m1")
    for folder in ["Work", "Drafts"] {
      try stage.reader.deliver(message.raw, name: "17.1_\(folder).host", to: folder)
    }
    try stage.reader.remove(message)
    let text = try stage.push(0, "--dry-run").outputText
    #expect(text.contains("2 moved, 0 sent"), "\(text)")
    let pushed = try stage.push().outputText
    #expect(pushed.contains("2 moved, 0 sent"), "\(pushed)")
  }

  @Test(arguments: layouts) func `what was deleted below a renamed folder needs no word`(
    layout: String
  ) throws {
    let stage = try stage(layout)
    for token in ["s0", "s1"] { try stage.reader.remove(stage.local(token)) }
    try rename(stage, layout)
    let dry = try stage.mirror.run(["push", "--dry-run"])
    #expect(dry.ending == .exited(0), "\(dry.summary)")
    try stage.push()
    #expect(stage.places("s0") == ["Trash"] && stage.places("s1") == ["Trash"])
    #expect(stage.places("s2") == ["Job/sub"])
    try stage.mirror.pull()
    stage.server.forget()
    try stage.push()
    #expect(stage.changes == [])
  }
}
