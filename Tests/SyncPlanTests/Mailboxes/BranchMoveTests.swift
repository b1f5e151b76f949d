import MailCore
import Maildir
import Testing

@testable import SyncPlan

/// What goes in step with a name above it.
struct BranchMoveTests {
  private let move = BranchMove(old: "job", new: "past/job", separator: "/")

  @Test func `the name itself and those below it go in step, no others`() {
    #expect(move.name(of: "job") == "past/job")
    #expect(move.name(of: "job/x/y") == "past/job/x/y")
    #expect(move.name(below: "job/x") == "past/job/x")
    #expect(move.name(below: "job") == nil)
    for other in ["jobs", "jobs/x", "my/job", "jo", "", "Job"] {
      #expect(move.name(of: other) == nil, "\(other)")
    }
  }

  @Test func `two spellings of one letter are two names`() {
    let (whole, apart) = ("caf\u{E9}", "cafe\u{301}")
    let move = BranchMove(old: whole, new: "tea", separator: "/")
    #expect(move.name(of: whole + "/x") == "tea/x")
    #expect(move.name(of: apart) == nil)
    #expect(move.name(of: apart + "/x") == nil)
  }

  @Test func `a name may begin with an accent of its own`() {
    let below = "job/\u{301}x"
    #expect(move.name(of: below).map { Array($0.utf8) } == Array("past/job/\u{301}x".utf8))
  }

  @Test func `below itself is nowhere`() {
    #expect(BranchMove(old: "a", new: "a/b", separator: "/").isIntoItself)
    #expect(!BranchMove(old: "a", new: "ab", separator: "/").isIntoItself)
    #expect(!BranchMove(old: "a/b", new: "a", separator: "/").isIntoItself)
  }

  private static let folders: [(LayoutStyle, String, String, String, String?)] = [
    (.nested, "Job", "Past/Job", "Job/x", "Past/Job/x"), (.nested, "Job", "Past", "Job", nil),
    (.nested, "Job", "Past", ".Job.x", nil),
    (.maildirPlusPlus, ".Job", ".Past.Job", ".Job.x", ".Past.Job.x"),
    (.maildirPlusPlus, ".Job", ".Past", ".Jobs", nil),
  ]

  @Test(arguments: folders) func `folders below one go in step with it`(
    layout: LayoutStyle, old: String, new: String, folder: String, place: String?
  ) throws {
    func path(_ text: String) throws -> FolderPath { try #require(FolderPath(text: text)) }
    #expect(
      try layout.place(of: path(folder), from: path(old), to: path(new)) == place.map(path))
  }
}
