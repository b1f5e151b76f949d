import Foundation
import MailCore
import Testing

@testable import Sorting

/// What `undo` takes back, and what it keeps for another undo.
@Suite struct UndoTests {
  private func record(_ lab: SortingLab) throws -> UndoRecord? {
    try UndoFile(root: lab.root).read()
  }

  /// Below the account's own directory.
  private func setAside(_ lab: SortingLab) -> [String] {
    let path = lab.root + "/personal/.mirror/undo/cur"
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  @Test func `what cannot be taken back now stays recorded, and its file kept`() throws {
    let lab = try SortingLab()
    try lab.deliver("Trash/cur/1.host:2,S", "a")
    try lab.deliver("Trash/cur/2.host:2,S", "b")
    try lab.perform("hello") { try $0.delete($1) }
    try lab.rename("Trash", "Bin")
    let failed = try lab.undo()
    #expect(failed.done == 0)
    #expect(failed.leftOut.count == 2)
    #expect(failed.leftOut.allSatisfy { $0.hasSuffix("new and cur") }, "no second period")
    #expect(try record(lab)?.steps.count == 2)
    try lab.rename("Bin", "Trash")
    #expect(try lab.undo().done == 2)
    #expect(lab.names == ["Trash/cur/1.host:2,S", "Trash/cur/2.host:2,S"])
    #expect(throws: SortingError.nothingToUndo) { try lab.undo() }
  }

  @Test func `a move that was killed before it was done leaves a stranger of the name alone`()
    throws
  {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,S", "a")
    try lab.deliver("Archive/cur/1.host:2,S", "stranger", subject: "Other")
    try lab.kill("subject:hello", { try $0.move($1, to: "Archive", creates: false) })
    let before = lab.names
    let outcome = try lab.undo()
    #expect(outcome.done == 0)
    #expect(outcome.leftOut == [])
    #expect(lab.names == before)
    #expect(lab.text("Archive/cur/1.host:2,S")?.contains("<stranger>") == true)
  }

  @Test func `a move that was killed after it got another name is taken back`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,S", "a")
    try lab.deliver("Archive/cur/1.host:2,S", "stranger", subject: "Other")
    try lab.kill(
      "subject:hello", { try $0.move($1, to: "Archive", creates: false) },
      having: ("INBOX/cur/1.host:2,S", "Archive/cur/1.host~2:2,S"))
    #expect(try lab.undo().done == 1)
    #expect(lab.names == ["Archive/cur/1.host:2,S", "INBOX/cur/1.host:2,S"])
    #expect(lab.text("INBOX/cur/1.host:2,S")?.contains("<a>") == true)
  }

  @Test(arguments: [false, true])
  func `of two copies with one name, or two links, each goes back where it was`(areLinks: Bool)
    throws
  {
    for done in 0...2 {
      let lab = try SortingLab()
      let flags = ["INBOX": "S", "Archive": areLinks ? "S" : "F"]
      let paths = flags.mapValues { "cur/1.host:2,\($0)" }
      let archived = try #require(paths["Archive"])
      let new = lab.root + "/personal/INBOX/cur/1.host:2,S"
      try lab.deliver("Archive/\(archived)", "a")
      let old = "\(lab.root)/personal/Archive/\(archived)"
      if areLinks {
        try FileManager.default.linkItem(atPath: old, toPath: new)
      } else {
        try FileManager.default.copyItem(atPath: old, toPath: new)
      }
      let before = lab.names
      try lab.kill("hello", { try $0.delete($1) })
      for (number, step) in try #require(try record(lab)).steps.prefix(done).enumerated() {
        let name = try #require(paths[step.folderName])
        try lab.rename(
          "\(step.folderName)/\(name)",
          "Trash/" + (number == 0 ? name : name.replacingOccurrences(of: ":", with: "~2:")))
      }
      let outcome = try lab.undo()
      #expect(outcome.done == done)
      #expect(outcome.leftOut == [])
      #expect(lab.names == before, "after \(done)")
    }
  }

  @Test func `a record that came since a person was asked is not taken back`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,", "a")
    try lab.flag("hello", "+flagged")
    var run = UndoRun(lab.tree)
    let record = try run.record()
    try lab.flag("hello", "+seen")
    #expect(throws: SortingError.overtaken) { try run.perform(record) }
    #expect(lab.names == ["INBOX/cur/1.host:2,FS"])
    #expect(SortingError.overtaken.explanation.exitStatus == .busy)
  }

  @Test func `what an undo would do is found out without doing it`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,", "a")
    try lab.deliver("INBOX/cur/2.host:2,", "b")
    try lab.perform("hello") { try $0.move($1, to: "Archive", creates: false) }
    try lab.rename("Archive/cur/2.host:2,", "Lists/dev/cur/2.host:2,")
    let found = try #require(try UndoRun(lab.tree).survey(next: 1).first)
    #expect(found.steps.map(\.base) == [Data("1.host".utf8)])
    #expect(
      found.left.map(\.reason) == ["it lies in personal/Lists/dev by now; move it from there"])
    #expect(lab.names == ["Archive/cur/1.host:2,", "Lists/dev/cur/2.host:2,"])
    #expect(!FileManager.default.fileExists(atPath: lab.root + "/personal/.mirror/undo"))
  }

  @Test func `what many undos would do is found out as if each had been done`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,", "a")
    try lab.perform("hello") { try $0.move($1, to: "Archive", creates: false) }
    try lab.flag("hello", "+flagged")
    try lab.perform("hello") { try $0.move($1, to: "Lists/dev", creates: false) }
    let before = lab.names
    let found = try UndoRun(lab.tree).survey(next: 5)
    #expect(found.map(\.steps.count) == [1, 1, 1])
    #expect(found.flatMap(\.left).isEmpty)
    #expect(lab.names == before)
    #expect(try UndoRun(lab.tree).survey(next: 2).count == 2)
    for _ in 0..<3 { #expect(try lab.undo().done == 1) }
    #expect(lab.names == ["INBOX/cur/1.host:2,"])
  }

  @Test func `a record that cannot be read stands in no other's way`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,", "a")
    try lab.flag("hello", "+flagged")
    let control = lab.root + "/.mirror"
    try Data("{".utf8).write(to: URL(fileURLWithPath: control + "/undo-7.json"))
    try Data(#"{"version": 2, "command": "x", "made": 0, "steps": []}"#.utf8)
      .write(to: URL(fileURLWithPath: control + "/undo-8.json"))
    let run = UndoRun(lab.tree)
    #expect(run.records().count == 1)
    #expect(
      run.damaged == [
        .undoFromElsewhere(path: control + "/undo-8.json", "its version is 2"),
        .undoFromElsewhere(path: control + "/undo-7.json", "it holds no record"),
      ])
    #expect(try lab.undo().done == 1)
    #expect(lab.names == ["INBOX/cur/1.host:2,"])
    try lab.flag("hello", "+flagged")
    #expect(try UndoRun(lab.tree).record().number == 9)
  }

  @Test func `a damaged record is told in one sentence`() {
    let problem = SortingError.undoFromElsewhere(path: "/u", "It is in no known format.")
      .explanation.problem
    #expect(problem.hasSuffix("format. It is passed over."), "\(problem)")
    #expect(!problem.hasSuffix(".."))
  }

  @Test func `a killed command that did nothing gives way to the one before it`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,", "a")
    try lab.deliver("Trash/cur/2.host:2,", "b", subject: "Other")
    try lab.perform("other") { try $0.delete($1) }
    try lab.kill("hello", { try $0.move($1, to: "Archive", creates: false) })
    #expect(try lab.undo().done == 0)
    #expect(try lab.undo().done == 1)
    #expect(lab.names == ["INBOX/cur/1.host:2,", "Trash/cur/2.host:2,"])
  }

  @Test func `a command that does nothing leaves what undo takes back`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,", "a")
    try lab.deliver("Trash/cur/2.host:2,", "b", subject: "Other")
    try lab.perform("other") { try $0.delete($1) }
    let outcome = try lab.perform("hello") { sorter, files in
      let steps = try sorter.move(files, to: "Archive", creates: false)
      try FileManager.default.removeItem(atPath: lab.root + "/personal/INBOX/cur/1.host:2,")
      return steps
    }
    #expect(outcome.done == 0)
    #expect(try lab.undo().done == 1)
    #expect(lab.names == ["Trash/cur/2.host:2,"])
  }

  @Test func `what a killed deletion set aside is taken back after a later command, too`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,", "a")
    try lab.deliver("Trash/cur/2.host:2,", "b", subject: "Other")
    // The first makes the directory.
    try lab.perform("other") { try $0.delete($1) }
    try lab.undo()
    try lab.kill(
      "other", { try $0.delete($1) }, having: ("Trash/cur/2.host:2,", ".mirror/undo/cur/2.host:2,"))
    #expect(setAside(lab) == ["2.host:2,"])
    try lab.flag("hello", "+seen")
    #expect(setAside(lab) == ["2.host:2,"])
    #expect(try lab.undo().done == 1)
    #expect(try lab.undo().done == 1)
    #expect(lab.names == ["INBOX/cur/1.host:2,", "Trash/cur/2.host:2,"])
  }

  @Test func `changes are taken back one by one, the last first`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,", "a")
    try lab.flag("hello", "+seen")
    try lab.perform("hello") { try $0.move($1, to: "Archive", creates: false) }
    try lab.flag("hello", "+flagged")
    #expect(lab.names == ["Archive/cur/1.host:2,FS"])
    #expect(UndoRun(lab.tree).records().count == 3)
    try lab.undo()
    #expect(lab.names == ["Archive/cur/1.host:2,S"])
    try lab.undo()
    #expect(lab.names == ["INBOX/cur/1.host:2,S"])
    try lab.undo()
    #expect(lab.names == ["INBOX/cur/1.host:2,"])
    #expect(throws: SortingError.nothingToUndo) { try lab.undo() }
  }

  @Test func `what cannot be taken back does not stand before what came earlier`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,", "a")
    try lab.deliver("INBOX/cur/2.host:2,", "b", subject: "Other")
    try lab.flag("hello", "+seen")
    try lab.perform("other") { try $0.move($1, to: "Archive", creates: false) }
    try FileManager.default.removeItem(atPath: lab.root + "/personal/Archive/cur/2.host:2,")
    let lost = try lab.undo()
    #expect(lost.done == 0 && lost.leftOut.count == 1)
    #expect(try lab.undo().done == 1)
    #expect(lab.names == ["INBOX/cur/1.host:2,"])
    #expect(UndoRun(lab.tree).records().map(\.wasTried) == [true])
  }

  @Test func `the oldest of many records goes, with what it set aside`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,", "a")
    try lab.deliver("Trash/cur/2.host:2,", "b", subject: "Other")
    try lab.perform("other") { try $0.delete($1) }
    for number in 1..<UndoFile.most {
      try lab.flag("hello", number % 2 == 0 ? "-seen" : "+seen")
    }
    #expect(setAside(lab) == ["2.host:2,"])
    try lab.flag("hello", "+flagged")
    #expect(setAside(lab) == [])
    #expect(UndoRun(lab.tree).records().count == UndoFile.most)
  }

  @Test func `a text that exists nowhere else outlives any number of later commands`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,", "a")
    try lab.deliver("Trash/cur/2.host:2,", "b", subject: "Other")
    // As a revert does with an edited file.
    try lab.perform("other") { sorter, files in
      try sorter.delete(files).map { step in
        var step = step
        step.isEdit = true
        return step
      }
    }
    func sort() throws {
      for number in 0..<UndoFile.most + 2 {
        try lab.flag("hello", number % 2 == 0 ? "+seen" : "-seen")
      }
    }
    try sort()
    #expect(setAside(lab) == ["2.host:2,"])
    #expect(FilesAside.look(account: "personal", root: lab.root).texts == ["cur/2.host:2,"])
    for _ in 0..<UndoFile.most { #expect(try lab.undo().done == 1) }
    #expect(try lab.undo().done == 1)
    #expect(lab.names.contains("Trash/cur/2.host:2,") && setAside(lab) == [])
    #expect(FilesAside.look(account: "personal", root: lab.root).isNothing)
    try sort()
    #expect(UndoRun(lab.tree).records().count == UndoFile.most)
  }

  @Test func `an edit that was removed by hand keeps no record`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,", "a")
    try lab.deliver("Trash/cur/2.host:2,", "b", subject: "Other")
    try lab.perform("other") { sorter, files in
      try sorter.delete(files).map { step in
        var step = step
        step.isEdit = true
        return step
      }
    }
    try FileManager.default.removeItem(atPath: lab.root + "/personal/.mirror/undo/cur/2.host:2,")
    for number in 0..<UndoFile.most {
      try lab.flag("hello", number % 2 == 0 ? "+seen" : "-seen")
    }
    #expect(UndoRun(lab.tree).records().count == UndoFile.most)
  }

  @Test func `the one record of an earlier version is the oldest`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,", "a")
    try lab.flag("hello", "+seen")
    let control = lab.root + "/.mirror/"
    try FileManager.default.moveItem(
      atPath: control + "undo-1.json", toPath: control + "undo.json")
    try lab.flag("hello", "+flagged")
    try lab.undo()
    try lab.undo()
    #expect(lab.names == ["INBOX/cur/1.host:2,"])
  }

  @Test func `a killed deletion out of the trash is taken back`() throws {
    let lab = try SortingLab()
    try lab.deliver("Trash/cur/1.host:2,", "a")
    try lab.perform("hello") { try $0.delete($1) }
    try lab.undo()
    try lab.kill(
      "hello", { try $0.delete($1) }, having: ("Trash/cur/1.host:2,", ".mirror/undo/cur/1.host:2,"))
    #expect(try lab.undo().done == 1)
    #expect(lab.names == ["Trash/cur/1.host:2,"])
  }

  @Test func `keywords are taken back from a file that a pull wrote anew`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,", "a")
    try lab.flag("hello", "+todo", "+flagged")
    try lab.rewrite("INBOX/cur/1.host~k1:2,F", "INBOX/cur/1.host~k2:2,F", keywords: "theirs, todo")
    let outcome = try lab.undo()
    #expect(outcome.done == 1)
    #expect(outcome.leftOut == [])
    #expect(lab.names == ["INBOX/cur/1.host~k3:2,"])
    #expect(lab.text("INBOX/cur/1.host~k3:2,")?.hasPrefix("X-Keywords: theirs\n") == true)
  }

  @Test func `marks are taken back where a reader has moved the message to`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,", "a")
    try lab.flag("hello", "+flagged")
    try lab.rename("INBOX/cur/1.host:2,F", "Archive/cur/other.name:2,F")
    #expect(try lab.undo().done == 1)
    #expect(lab.names == ["Archive/cur/other.name:2,"])
  }

  @Test func `what is found nowhere stays recorded, and what a reader moved on is left to him`()
    throws
  {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,", "a")
    try lab.perform("hello") { try $0.move($1, to: "Archive", creates: false) }
    try lab.rename("Archive/cur/1.host:2,", "Lists/dev/cur/1.host:2,")
    #expect(try lab.undo().leftOut.first?.contains("personal/Lists/dev") == true)
    #expect(lab.names == ["Lists/dev/cur/1.host:2,"])
    try lab.rename("Lists/dev/cur/1.host:2,", "elsewhere")
    #expect(try lab.undo().leftOut.first?.contains("no longer there") == true)
    try lab.rename("elsewhere", "Archive/cur/1.host:2,")
    #expect(try lab.undo().done == 1)
    #expect(lab.names == ["INBOX/cur/1.host:2,"])
  }

  @Test func `a change planned before another's keeps both`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,", "a")
    let files = try lab.files("hello")
    for word in ["+one", "+two", "+three"] {
      let tree = lab.tree
      var sorter = Sorter(tree)
      var run = SortingRun(tree)
      // The index tells of the file as it was.
      let steps = try sorter.mark(files, try MarkChange.split([word]).change)
      let outcome = try run.perform(steps, command: word)
      #expect(outcome.steps.count == 1, "\(word): \(outcome.problems.map(\.reason))")
    }
    #expect(lab.names == ["INBOX/cur/1.host~k3:2,"])
    #expect(try lab.files("tag:one tag:two tag:three").count == 1)
  }

  @Test func `a plan made before a rewrite changes only what it says`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,", "a")
    let tree = lab.tree
    var sorter = Sorter(tree)
    var run = SortingRun(tree)
    let steps = try sorter.mark(try lab.files("hello"), try MarkChange.split(["+one"]).change)
    try lab.rewrite("INBOX/cur/1.host:2,", "INBOX/cur/1.host~k1:2,", keywords: "theirs")
    #expect(try run.perform(steps, command: "flag").steps.count == 1)
    #expect(try lab.files("tag:one tag:theirs").count == 1)
    try lab.undo()
    #expect(try lab.files("tag:theirs not tag:one").count == 1)
  }

  @Test func `a command waits for another, and gives up after a while`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,", "a")
    let files = try lab.files("hello")
    let other = lab.tree
    #expect(try other.hold())
    let tree = lab.tree
    tree.patience = 0.05
    var sorter = Sorter(tree)
    var run = SortingRun(tree)
    let steps = try sorter.mark(files, try MarkChange.split(["+seen"]).change)
    #expect(throws: SortingError.busy) { try run.perform(steps, command: "flag") }
    #expect(lab.names == ["INBOX/cur/1.host:2,"])
    #expect(SortingError.busy.explanation.exitStatus == .busy)
    other.letGo()
    #expect(try run.perform(steps, command: "flag").steps.count == 1)
  }
}
