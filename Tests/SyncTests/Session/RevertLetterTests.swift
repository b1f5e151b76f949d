import Foundation
import MailTestKit
import Settings
import Sorting
import SyncPlan
import Testing

/// `mirror revert` where keywords are letters in names, which mean something by their folder's table.
struct RevertLetterTests {
  @Test func `keywords as letters, also of what was moved`() throws {
    let stage = try Stage(sync: { $0.keywords = .dovecot })
    try stage.setKeywordsThere("m0", "todo")
    try stage.setKeywordsThere("m1", "todo")
    stage.pull()
    #expect(try stage.local("m1").flags == "a")
    try stage.setFlags("m0", "")
    try stage.setFlags("m1", "FSa")
    try stage.move("m1", to: "Other")
    stage.forget()
    stage.revert()
    stage.push()
    #expect(stage.changes == [])
    #expect(stage.flags("m0") == ["todo"] && stage.flags("m1") == ["todo"])
    #expect(try stage.local("m0").flags == "a" && stage.local("m1").flags == "a")
    #expect(try stage.folders(of: "m1") == ["INBOX"])
    try stage.expectSettled(agrees: false)
  }

  /// Letters mean something only by the table of a folder: in Other, `a` is another keyword.
  private func lettered() throws -> Stage {
    let stage = try Stage(sync: { $0.keywords = .dovecot })
    try stage.setKeywordsThere("m0", "other")
    try stage.setKeywordsThere("m1", "todo")
    stage.pull()
    try stage.move("m0", to: "Other")
    stage.push()
    try stage.setFlags("m1", "F" + stage.local("m1").flags)
    try stage.move("m1", to: "Other")
    stage.forget()
    return stage
  }

  @Test(arguments: 0...2) func `keywords of what was moved, killed between two files`(steps: Int)
    throws
  {
    let stage = try lettered()
    stage.revert(nil, dyingAfter: steps)
    stage.push(nil)
    #expect(stage.flags("m1").subtracting(["\\Flagged"]) == ["todo"], "after \(steps)")
    stage.revert()
    stage.pull()
    try stage.expectSettled(agrees: false)
    #expect(stage.flags("m1").subtracting(["\\Flagged"]) == ["todo"], "after \(steps)")
  }

  @Test func `one undo gives what was moved the letters that it had`() throws {
    let untouched = try lettered()
    let letters = try untouched.local("m1").flags
    untouched.push()
    let stage = try lettered()
    #expect(stage.revert().moved == 1)
    #expect(try stage.local("m1").folder == "INBOX")
    _ = try stage.undo()
    #expect(try stage.local("m1").folder == "Other" && stage.local("m1").flags == letters)
    #expect(throws: SortingError.nothingToUndo) { try stage.undo() }
    stage.push()
    #expect(stage.places("m1") == ["Other"])
    #expect(stage.flags("m1") == untouched.flags("m1"))
    try stage.expectSettled(agrees: false)
  }
}
