import Ledger
import MailCore
import Testing

@testable import SyncPlan

/// What a server takes one after the other, and what it cannot take in any order.
struct RenameOrderTests {
  /// Mailboxes are numbered as they are named here, from 1.
  private func order(_ renames: [(MailboxKey, String)], of names: [String]) throws -> (
    possible: [MailboxKey], impossible: [MailboxKey]
  ) {
    let wanted = try renames.map { mailbox, name in
      PushPlan.FolderRename(
        mailbox: mailbox, folder: try #require(FolderPath(text: name)), name: name)
    }
    let known = names.enumerated().map { (MailboxKey(Int64($0.offset + 1)), $0.element) }
    let order = RenameOrder(
      wanted, names: Dictionary(uniqueKeysWithValues: known), delimiter: "/")
    return (order.possible.map(\.mailbox), order.impossible.map(\.mailbox))
  }

  @Test func `those that hinder nobody keep their order`() throws {
    let order = try order([(1, "x"), (2, "y/z")], of: ["a", "b"])
    #expect(order == ([1, 2], []))
  }

  @Test func `a name that is another's waits until that has its own`() throws {
    #expect(try order([(1, "b"), (2, "c")], of: ["a", "b"]) == ([2, 1], []))
    #expect(try order([(1, "b"), (2, "c"), (3, "a")], of: ["a", "b", "z"]) == ([2, 1, 3], []))
  }

  @Test func `nothing is put below a name that goes away`() throws {
    // mv job past/job; mv all job/x
    #expect(try order([(2, "job/x"), (1, "past/job")], of: ["job", "all"]) == ([1, 2], []))
  }

  @Test func `a name that another keeps cannot be had`() throws {
    #expect(try order([(1, "b")], of: ["a", "b"]) == ([], [1]))
    // Nor one that another gets on the way.
    #expect(try order([(1, "c"), (2, "c")], of: ["a", "b"]) == ([1], [2]))
  }

  @Test func `nothing goes below itself`() throws {
    #expect(try order([(1, "a/b")], of: ["a"]) == ([], [1]))
    #expect(try order([(1, "ab")], of: ["a"]) == ([1], []))
  }

  @Test func `those that wait for each other cannot be had`() throws {
    #expect(try order([(1, "b"), (2, "a")], of: ["a", "b"]) == ([], [1, 2]))
    #expect(try order([(1, "b"), (2, "c"), (3, "a")], of: ["a", "b", "c"]) == ([], [1, 3, 2]))
  }

  @Test func `what lies below goes along, and its names are free then`() throws {
    // a, a/x: a becomes b, and what is z gets the name that a/x had.
    #expect(try order([(1, "b"), (3, "a/x")], of: ["a", "a/x", "z"]) == ([1, 3], []))
    // The name of one that went along is taken.
    #expect(try order([(1, "b"), (3, "b/x")], of: ["a", "a/x", "z"]) == ([1], [3]))
  }

  @Test func `a mailbox that the server does not have hinders nobody`() throws {
    #expect(try order([(9, "x"), (1, "y")], of: ["a"]) == ([9, 1], []))
  }
}
