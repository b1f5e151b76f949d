import Foundation
import MailCore
import Testing

@testable import Sorting

@Suite struct SortingTests {
  @Test func `flags and keywords are set as a mail reader sets them, and taken back`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/new/1.host", "a")
    try lab.deliver("INBOX/cur/2.host:2,RS", "b")
    let before = lab.names
    let text = lab.text("INBOX/cur/2.host:2,RS")
    try lab.flag("hello", "+flagged", "-answered", "+todo")
    #expect(lab.names == ["INBOX/cur/1.host~k1:2,F", "INBOX/cur/2.host~k1:2,FS"])
    #expect(lab.text("INBOX/cur/2.host~k1:2,FS")?.hasPrefix("X-Keywords: todo\n") == true)
    #expect(try lab.files("tag:todo").count == 2)
    #expect(try lab.undo().done == 2)
    #expect(lab.names == ["INBOX/cur/1.host~k2:2,", "INBOX/cur/2.host~k2:2,RS"])
    #expect(lab.text("INBOX/cur/2.host~k2:2,RS") == text)
    #expect(before.count == 2)
    #expect(throws: SortingError.nothingToUndo) { try lab.undo() }
  }

  /// Whoever sends a message writes what he likes into its header: that is no mark of its reader's.
  @Test func `a keyword that the message brought along is set all the same`() throws {
    let lab = try SortingLab()
    let message =
      "From: a@example.org\nX-Label: todo\nSubject: Hello\nMessage-ID: <a>\n"
      + "Date: Fri, 21 Nov 2025 10:00:00 +0000\n\nWords.\n"
    try Data(message.utf8).write(
      to: URL(fileURLWithPath: lab.root + "/personal/INBOX/cur/1.host:2,S"))
    try lab.flag("hello", "+todo")
    #expect(lab.text("INBOX/cur/1.host~k1:2,S") == "X-Keywords: todo\n" + message)
    try lab.flag("hello", "+todo")
    #expect(lab.names == ["INBOX/cur/1.host~k1:2,S"])
  }

  @Test func `a keyword that its folder has no letter for is not set, and that is said`() throws {
    let lab = try SortingLab()
    lab.settings.sync.keywords = .dovecot
    try lab.deliver("INBOX/cur/1.host:2,", "a")
    let table = (0..<26).map { "\($0) k\($0)\n" }.joined()
    try Data(table.utf8).write(
      to: URL(fileURLWithPath: lab.root + "/personal/INBOX/dovecot-keywords"))
    let change = try MarkChange.split(["+todo", "+k3", "+seen"]).change
    let outcome = try lab.perform("hello") { try $0.mark($1, change) }
    #expect(outcome.done == 1)
    #expect(outcome.leftOut == ["its folder has no letter left for the keyword “todo”"])
    #expect(lab.names.contains("INBOX/cur/1.host:2,Sd"))
  }

  @Test func `letters that change between plan and move keep the message where it is`() throws {
    let lab = try SortingLab()
    lab.settings.sync.keywords = .dovecot
    try lab.deliver("INBOX/cur/1.host:2,", "a")
    try Data("0 todo\n".utf8).write(
      to: URL(fileURLWithPath: lab.root + "/personal/INBOX/dovecot-keywords"))
    let outcome = try lab.perform("hello") { sorter, files in
      let steps = try sorter.move(files, to: "Archive", creates: false)
      try lab.rename("INBOX/cur/1.host:2,", "INBOX/cur/1.host:2,Sa")
      return steps
    }
    #expect(outcome.done == 0)
    #expect(outcome.leftOut == ["its keywords have just changed; push first"])
    #expect(lab.names.contains("INBOX/cur/1.host:2,Sa"))
  }

  @Test func `what is so already is left alone`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,S", "a")
    let change = try MarkChange.split(["+seen"]).change
    #expect(try lab.perform("hello") { try $0.mark($1, change) }.done == 0)
    #expect(!FileManager.default.fileExists(atPath: lab.root + "/.mirror/undo.json"))
  }

  @Test func `a move keeps the name and can be taken back`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/new/1.host", "a")
    try lab.deliver("INBOX/cur/2.host:2,S", "b")
    try lab.perform("hello") { try $0.move($1, to: "lists/dev", creates: false) }
    #expect(lab.names == ["Lists/dev/cur/2.host:2,S", "Lists/dev/new/1.host"])
    try lab.undo()
    #expect(lab.names == ["INBOX/cur/2.host:2,S", "INBOX/new/1.host"])
  }

  @Test func `a name that the target has already is replaced by no move`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,S", "a")
    try lab.deliver("Archive/cur/1.host:2,S", "b", subject: "Other")
    try lab.perform("hello") { try $0.move($1, to: "Archive", creates: false) }
    #expect(lab.names.count == 2)
    #expect(lab.names.allSatisfy { $0.hasPrefix("Archive/cur/1.host") })
    try lab.undo()
    #expect(lab.names == ["Archive/cur/1.host:2,S", "INBOX/cur/1.host:2,S"])
    #expect(lab.text("INBOX/cur/1.host:2,S")?.contains("<a>") == true)
  }

  @Test func `an unknown folder is refused with the nearest name, or made on request`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,S", "a")
    #expect(throws: SortingError.unknownFolder("Archiv", account: "personal", nearest: "Archive")) {
      try lab.perform("hello") { try $0.move($1, to: "Archiv", creates: false) }
    }
    try lab.perform("hello") { try $0.move($1, to: "Archiv/2025", creates: true) }
    #expect(lab.names == ["Archiv/2025/cur/1.host:2,S"])
  }

  @Test func `a message in several folders is moved only where one is named`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,S", "a")
    try lab.deliver("Lists/dev/cur/2.host:2,S", "a")
    let outcome = try lab.perform("hello") { try $0.move($1, to: "Archive", creates: false) }
    #expect(outcome.done == 0)
    #expect(outcome.leftOut.first?.contains("INBOX, Lists/dev") == true)
    try lab.perform("hello folder:dev") { try $0.move($1, to: "Archive", creates: false) }
    #expect(lab.names == ["Archive/cur/2.host:2,S", "INBOX/cur/1.host:2,S"])
  }

  @Test func `archiving takes the INBOX's copy`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,S", "a")
    try lab.deliver("Lists/dev/cur/2.host:2,S", "a")
    #expect(try lab.perform("hello") { try $0.archive($1) }.done == 1)
    #expect(lab.names == ["Archive/cur/1.host:2,S", "Lists/dev/cur/2.host:2,S"])
  }

  @Test func `on Gmail an archive without All Mail is refused`() throws {
    let lab = try SortingLab()
    lab.settings.imap.host = "imap.gmail.com"
    try lab.deliver("INBOX/cur/1.host:2,S", "a")
    #expect(throws: SortingError.gmailArchive(account: "personal")) {
      try lab.perform("hello") { try $0.archive($1) }
    }
  }

  @Test func `deleting moves to the trash, and from there out of the folders but not for good`()
    throws
  {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,S", "a")
    let text = lab.text("INBOX/cur/1.host:2,S")
    try lab.perform("hello") { try $0.delete($1) }
    #expect(lab.names == ["Trash/cur/1.host:2,S"])
    try lab.perform("hello") { try $0.delete($1) }
    #expect(lab.names == [])
    try lab.undo()
    #expect(lab.names == ["Trash/cur/1.host:2,S"])
    #expect(lab.text("Trash/cur/1.host:2,S") == text)
  }

  @Test func `a message twice in one folder is one message: both files go`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,S", "a")
    try lab.deliver("INBOX/cur/2.host:2,S", "a")
    let moved = try lab.perform("hello") { try $0.move($1, to: "Lists/dev", creates: false) }
    #expect(moved.leftOut == [])
    #expect(lab.names == ["Lists/dev/cur/1.host:2,S", "Lists/dev/cur/2.host:2,S"])
    try lab.undo()
    try lab.perform("hello") { try $0.archive($1) }
    #expect(lab.names == ["Archive/cur/1.host:2,S", "Archive/cur/2.host:2,S"])
  }

  @Test(arguments: ["hello", "hello folder:INBOX"])
  func `a message that the target has is not moved there again`(query: String) throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,S", "a")
    try lab.deliver("Archive/cur/2.host:2,S", "a")
    let id = try #require(lab.files(query).first?.message)
    for outcome in [
      try lab.perform(query, { try $0.move($1, to: "Archive", creates: false) }),
      try lab.perform(query, { try $0.archive($1) }),
    ] {
      #expect(outcome.done == 0)
      #expect(outcome.leftOut.count == 1)
      #expect(outcome.leftOut.first?.contains("Archive has it already") == true)
      #expect(outcome.leftOut.first?.contains("mirror delete id:\(id) folder:INBOX`") == true)
    }
    #expect(lab.names == ["Archive/cur/2.host:2,S", "INBOX/cur/1.host:2,S"])
    // The advice does what it says.
    try lab.perform("id:\(id) folder:INBOX") { try $0.delete($1) }
    #expect(lab.names == ["Archive/cur/2.host:2,S", "Trash/cur/1.host:2,S"])
  }

  @Test func `a copy that left the target since the index was made is in no move's way`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,S", "a")
    try lab.deliver("Archive/cur/2.host:2,S", "a")
    let files = try lab.files("hello folder:INBOX")
    try FileManager.default.removeItem(atPath: lab.root + "/personal/Archive/cur/2.host:2,S")
    var sorter = Sorter(lab.tree)
    #expect(try sorter.move(files, to: "Archive", creates: false).count == 1)
  }

  @Test func `a folder's name with blanks is named so that it can be typed`() throws {
    let lab = try SortingLab()
    try lab.makeFolder("To do")
    try lab.deliver("To do/cur/1.host:2,S", "a")
    try lab.deliver("Archive/cur/2.host:2,S", "a")
    let outcome = try lab.perform("hello") { try $0.move($1, to: "Archive", creates: false) }
    #expect(outcome.leftOut.first?.contains("'folder:\"To do\"'") == true)
  }

  @Test(arguments: [
    "", "Archive/", "x/", "a//b", "/abs/x", ".", "..", "a/../b", "~", "~/x", "a*", " ",
  ])
  func `a name that no mailbox can have makes no folder`(name: String) throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,S", "a")
    #expect(throws: SortingError.badFolderName(name)) {
      try lab.perform("hello") { try $0.move($1, to: name, creates: true) }
    }
    #expect(lab.names == ["INBOX/cur/1.host:2,S"])
  }

  @Test func `a folder is made for what is moved, and by no plan`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,S", "a")
    let files = try lab.files("hello")
    var sorter = Sorter(lab.tree)
    let steps = try sorter.move(files, to: "New/2025", creates: true)
    #expect(steps.count == 1)
    #expect(sorter.missingFolders(for: steps).map(\.words) == ["the folder personal/New/2025"])
    #expect(sorter.missingFolders(for: []) == [])
    #expect(!lab.hasFolder("New"))
    try sorter.makeFolders(for: steps)
    #expect(lab.hasFolder("New/2025/cur"))
  }

  @Test func `on Gmail what All Mail holds leaves the INBOX and nothing else, and comes back`()
    throws
  {
    let lab = try SortingLab()
    lab.settings.imap.host = "imap.gmail.com"
    try lab.makeFolder("All")
    try lab.deliver("INBOX/cur/1.host:2,S", "a")
    try lab.deliver("Lists/dev/cur/2.host:2,S", "a")
    try lab.deliver("All/cur/3.host:2,S", "a")
    var sorter = Sorter(lab.tree)
    let words = try sorter.archive(lab.files("hello")).map(\.words)
    #expect(words == ["take “Hello” out of personal/INBOX"])
    #expect(try lab.perform("hello") { try $0.archive($1) }.done == 1)
    #expect(lab.names == ["All/cur/3.host:2,S", "Lists/dev/cur/2.host:2,S"])
    try lab.undo()
    #expect(
      lab.names == ["All/cur/3.host:2,S", "INBOX/cur/1.host:2,S", "Lists/dev/cur/2.host:2,S"])
    // The folder that was named, where one was; what is in none but labels is archived already.
    #expect(try lab.perform("hello folder:dev") { try $0.archive($1) }.done == 1)
    #expect(lab.names == ["All/cur/3.host:2,S", "INBOX/cur/1.host:2,S"])
    try lab.undo()
    try FileManager.default.removeItem(atPath: lab.root + "/personal/INBOX/cur/1.host:2,S")
    let outcome = try lab.perform("hello") { try $0.archive($1) }
    #expect(outcome.done == 0 && outcome.leftOut == [])
    #expect(lab.names == ["All/cur/3.host:2,S", "Lists/dev/cur/2.host:2,S"])
  }

  @Test func `on Gmail what All Mail has lost goes there, not out of the tree`() throws {
    let lab = try SortingLab()
    lab.settings.imap.host = "imap.gmail.com"
    try lab.makeFolder("All")
    try lab.deliver("INBOX/cur/1.host:2,S", "a")
    try lab.deliver("All/cur/3.host:2,S", "a")
    let files = try lab.files("hello")
    try FileManager.default.removeItem(atPath: lab.root + "/personal/All/cur/3.host:2,S")
    var sorter = Sorter(lab.tree)
    #expect(try sorter.archive(files).map(\.action) == [.move(to: "personal/All")])
  }

  @Test func `another account's mail is left alone`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,S", "a")
    lab.settings.name = "other"
    let change = try MarkChange.split(["-seen"]).change
    let outcome = try lab.perform("hello") { try $0.mark($1, change) }
    #expect(outcome.done == 0)
    #expect(outcome.leftOut.first?.contains("configuration") == true)
    #expect(lab.names == ["INBOX/cur/1.host:2,S"])
  }

  @Test func `a reader's rename in the meantime is followed`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,", "a")
    let files = try lab.files("hello")
    try FileManager.default.moveItem(
      atPath: lab.root + "/personal/INBOX/cur/1.host:2,",
      toPath: lab.root + "/personal/INBOX/cur/1.host:2,R")
    let tree = lab.tree
    var sorter = Sorter(tree)
    var run = SortingRun(tree)
    let change = try MarkChange.split(["+seen"]).change
    _ = try run.perform(try sorter.mark(files, change), command: "flag")
    #expect(lab.names == ["INBOX/cur/1.host:2,RS"])
    // What the reader did stays when ours is taken back.
    try lab.undo()
    #expect(lab.names == ["INBOX/cur/1.host:2,R"])
  }

  @Test func `a command that was killed half-way is taken back as far as it came`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,", "a")
    try lab.deliver("INBOX/cur/2.host:2,", "b")
    try lab.kill(
      "hello", { try $0.move($1, to: "Archive", creates: false) },
      having: ("INBOX/cur/1.host:2,", "Archive/cur/1.host:2,"))
    let outcome = try lab.undo()
    #expect(outcome.done == 1)
    #expect(outcome.leftOut == [])
    #expect(lab.names == ["INBOX/cur/1.host:2,", "INBOX/cur/2.host:2,"])
  }
}
