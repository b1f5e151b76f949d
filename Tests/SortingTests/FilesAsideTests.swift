import Foundation
import Testing

@testable import Sorting

/// What was taken out of the folders and lies in `.mirror/undo`: the files tell, whatever became of the records.
struct FilesAsideTests {
  private let name = "2.host:2,"

  /// As a revert does with an edited file.
  private func edited(_ sorter: inout Sorter, _ files: [ChosenFile]) throws -> [SortingStep] {
    try sorter.delete(files).map { step in
      var step = step
      step.isEdit = true
      return step
    }
  }

  private func lab() throws -> SortingLab {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,", "a")
    try lab.deliver("Trash/cur/\(name)", "b", subject: "Other")
    return lab
  }

  private func look(_ lab: SortingLab) -> FilesAside {
    FilesAside.look(account: "personal", root: lab.root)
  }

  private func records(_ lab: SortingLab) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: lab.root + "/.mirror")
      .filter { $0.hasPrefix("undo") }.sorted()
  }

  @Test func `a text is told with its record, and without`() throws {
    let lab = try lab()
    #expect(look(lab).isNothing)
    try lab.perform("other") { try edited(&$0, $1) }
    // As file systems and browsers of files leave.
    try Data().write(
      to: URL(fileURLWithPath: lab.root + "/personal/.mirror/undo/cur/.DS_Store"))
    #expect(look(lab).texts == ["cur/\(name)"] && look(lab).unrecorded == [])
    #expect(look(lab).notes.first?.remedy?.contains("mirror undo") == true)
    for record in try records(lab) {
      try FileManager.default.removeItem(atPath: lab.root + "/.mirror/" + record)
    }
    #expect(look(lab).texts == ["cur/\(name)"] && look(lab).unrecorded == look(lab).texts)
    #expect(look(lab).notes.map(\.problem).joined().contains("no record of undo"))
    // Also in a copy that left empty directories out.
    for part in ["new", "tmp"] {
      try FileManager.default.removeItem(atPath: lab.root + "/personal/.mirror/undo/" + part)
    }
    #expect(look(lab).texts == ["cur/\(name)"])
  }

  @Test func `what a command deleted for good is none`() throws {
    let lab = try lab()
    try lab.perform("other") { try $0.delete($1) }
    #expect(look(lab).isNothing)
  }

  @Test func `a record that cannot be read takes no text out of the count`() throws {
    let lab = try lab()
    try lab.perform("other") { try edited(&$0, $1) }
    try Data("no record".utf8).write(to: URL(fileURLWithPath: lab.root + "/.mirror/undo-1.json"))
    #expect(look(lab).unrecorded == ["cur/\(name)"])
  }

  /// A revert that was killed before it noted the step as done; then the tree was copied, and a pull brought the
  /// server's message.
  @Test func `in a copy of the tree an undo finds the text, and drops no record before`() throws {
    let lab = try lab()
    try lab.perform("other") { try $0.delete($1) }
    try lab.undo()
    try lab.kill("other", { try edited(&$0, $1) }, having: ("Trash/cur/\(name)", "kept"))
    let kept = lab.root + "/personal/kept"
    let aside = lab.root + "/personal/.mirror/undo/cur/\(name)"
    try FileManager.default.copyItem(atPath: kept, toPath: aside)
    try giveTime(of: kept, to: aside)
    try lab.deliver("Trash/cur/\(name)", "c", subject: "The server's")
    #expect(look(lab).texts == ["cur/\(name)"] && look(lab).unrecorded == [])
    #expect(try lab.undo().done == 1)
    #expect(look(lab).isNothing)
    #expect(lab.names.filter { $0.hasPrefix("Trash/") }.count == 2, "neither is lost")
  }

  /// To the nanosecond, as `cp -a` does.
  private func giveTime(of from: String, to: String) throws {
    let touch = Process()
    touch.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    touch.arguments = ["touch", "-r", from, to]
    try touch.run()
    touch.waitUntilExit()
  }

  // MARK: Files that are not whole

  @Test func `what a killed writer left goes with the next record`() throws {
    let lab = try lab()
    try lab.flag("hello", "+seen")
    for left in ["undo-1.json.new", "undo-7.json.new", "undo.json.new"] {
      try Data("{".utf8).write(to: URL(fileURLWithPath: lab.root + "/.mirror/" + left))
    }
    let other = lab.root + "/.mirror/undo-notes.new"
    try Data("mine".utf8).write(to: URL(fileURLWithPath: other))
    try lab.flag("hello", "+flagged")
    #expect(try records(lab) == ["undo-1.json", "undo-2.json", "undo-notes.new"])
  }

  @Test func `nothing names an account that was given up`() throws {
    let lab = try lab()
    try lab.flag("hello", "+seen")
    try lab.flag("hello", "+flagged")
    let control = lab.root + "/.mirror/"
    try Data("{\"account\":\"personal\",".utf8)
      .write(to: URL(fileURLWithPath: control + "undo-1.json"))
    try Data("{\"account\":\"personal\",".utf8)
      .write(to: URL(fileURLWithPath: control + "undo-3.json.new"))
    try Data("{\"account\":\"work\",".utf8)
      .write(to: URL(fileURLWithPath: control + "undo-4.json"))
    let steps = try #require(UndoFile(root: lab.root).readable().records.first).steps
    var shared = UndoRecord(
      command: "flag account:personal or account:work", made: Date(), steps: steps)
    shared.steps += steps.map {
      var step = $0
      step.account = "work"
      return step
    }
    shared.nextUIDs = ["personal/Secret": 3, "personal": 2, "work/INBOX": 4]
    try UndoFile(root: lab.root).append(&shared)
    try UndoFile(root: lab.root).forget(account: "personal")
    #expect(try records(lab) == ["undo-4.json", "undo-5.json"])
    let left = try Data(contentsOf: URL(fileURLWithPath: control + "undo-5.json"))
    let text = String(decoding: left, as: UTF8.self).replacing("\\/", with: "/")
    #expect(text.contains("work/INBOX") && !text.contains("Secret"), "\(text)")
    #expect(!text.contains("account:personal") && !text.contains("\"personal\""), "\(text)")
  }
}
