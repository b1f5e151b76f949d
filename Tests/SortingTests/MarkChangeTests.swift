import MailCore
import Testing

@testable import Sorting

@Suite struct MarkChangeTests {
  @Test func `changes come first, the query behind them`() throws {
    let (change, query) = try MarkChange.split(["+seen", "-Flagged", "+todo", "from:alice", "+x"])
    #expect(change.addedFlags == .seen)
    #expect(change.removedFlags == .flagged)
    #expect(change.addedKeywords == ["todo"])
    #expect(query == ["from:alice", "+x"])
  }

  @Test func `the first word needs no sign, the others do`() throws {
    let (change, query) = try MarkChange.split(["seen", "flagged"])
    #expect(change.addedFlags == .seen)
    #expect(query == ["flagged"])
  }

  @Test func `a query may begin with a negation`() throws {
    #expect(try MarkChange.split(["+seen", "-from:bob"]).query == ["-from:bob"])
    #expect(try MarkChange.split(["+seen", "--", "-bob"]).query == ["-bob"])
    #expect(try MarkChange.split(["+seen", "-(a or b)"]).query == ["-(a or b)"])
  }

  @Test(arguments: ["a b", "a(b", "ä", "", "x]", "\"", "a,b"])
  func `what servers take for no keyword is refused`(name: String) {
    #expect(throws: SortingError.badKeyword(name)) { try MarkChange.split(["+" + name, "x"]) }
  }

  @Test func `setting and taking away at once is refused`() {
    #expect(throws: SortingError.contrary("seen")) {
      try MarkChange.split(["+seen", "-seen", "x"])
    }
    #expect(throws: SortingError.contrary("TODO")) {
      try MarkChange.split(["+todo", "-TODO", "x"])
    }
  }

  @Test func `a keyword that sounds like a flag is doubted`() throws {
    let change = try MarkChange.split(["+read", "+Unread", "-starred", "+todo", "x"]).change
    #expect(change.addedKeywords == ["read", "Unread", "todo"])
    #expect(change.doubts.map(\.keyword) == ["read", "Unread", "starred"])
    #expect(change.doubts.map(\.flag) == ["+seen", "-seen", "-flagged"])
  }

  @Test func `no word is no change`() {
    #expect(throws: SortingError.noChange) { try MarkChange.split([]) }
    #expect(throws: SortingError.noChange) { try MarkChange.split(["--"]) }
    #expect(throws: SortingError.noChange) { try MarkChange.split(["-from:bob", "x"]) }
  }

  @Test func `what ends the options ends no changes`() throws {
    let (change, query) = try MarkChange.split(["--", "-vip", "-yes", "--", "-bob"])
    #expect(change.removedKeywords == ["vip", "yes"])
    #expect(query == ["-bob"])
  }
}
