import Ledger
import LedgerTestKit
import MailCore
import Maildir
import Testing

@testable import SyncPlan

/// ``Rules/new`` and ``Rules/likeness``, row by row.
struct NewFileRulesTests {
  private func new(
    unread: String? = nil, repeatsMoved: Bool = false, isMovePlanned: Bool = false,
    _ change: (inout PushSituation) -> Void = { _ in }
  ) throws -> Sending {
    let situation = RuleCases.situation(change)
    return Rules.new.outcome(
      of: NewHere(
        situation: situation, mailbox: 1, file: try RuleCases.file(in: 1),
        busy: BusyContents(situation, TreeChanges()), unreadFolder: unread,
        repeatsMovedMessage: repeatsMoved, isMovePlanned: isMovePlanned))
  }

  @Test func `a new file of a mailbox that takes no changes waits`() throws {
    #expect(try new { $0.closed = [1] } == .wait(.readOnly))
  }

  @Test func `a new file waits where uploads were refused`() throws {
    #expect(try new { $0.denied = [1: [.uploads]] } == .wait(.readOnly))
  }

  @Test func `a new file waits for a pull while it may be the server's`() throws {
    let half = RuleCases.mailbox(1) { $0.isDirty = true }
    #expect(try new { $0.mailboxes = [half] } == .wait(.pullFirst))
    #expect(try new { $0.unsettled = [2] } == .wait(.pullFirst))
    #expect(try new { $0.isAdopting = true } == .wait(.pullFirst))
    #expect(try new { $0.awaited = [6] } == .wait(.pullFirst))
  }

  @Test func `a new file waits where it may be a message that the server does not show`() throws {
    #expect(try new { $0.hidden = [6] } == .wait(.hidden))
  }

  @Test func `a new file waits while it may have been sent already`() throws {
    #expect(try new { $0.busyNames = [Array("name".utf8)] } == .wait(.underWay))
    #expect(try new { $0.busyContents = [6] } == .wait(.underWay))
  }

  @Test func `a new file waits while a folder cannot be read, which it may come from`() throws {
    #expect(try new(unread: "dark") == .wait(.unread("dark")))
  }

  @Test func `a new file that repeats a message which is moved away is sent after it`() throws {
    #expect(try new(repeatsMoved: true, isMovePlanned: true) == .sendAfterMove)
  }

  @Test func `a new file that repeats a message whose move waits is not sent`() throws {
    #expect(try new(repeatsMoved: true) == .leave)
  }

  @Test func `a new file that lacks parts waits, unless the server copies its message`() throws {
    let situation = RuleCases.situation()
    var file = try RuleCases.file(in: 1)
    file.part = PartLeft(headerHash: 5, size: 9000)
    func outcome(isRepeated: Bool) -> Sending {
      Rules.new.outcome(
        of: NewHere(
          situation: situation, mailbox: 1, file: file,
          busy: BusyContents(situation, TreeChanges()), unreadFolder: nil,
          repeatsMovedMessage: isRepeated, isMovePlanned: isRepeated))
    }
    #expect(outcome(isRepeated: false) == .wait(.stub))
    #expect(outcome(isRepeated: true) == .wait(.stub))
    file.part?.isCopied = true
    #expect(outcome(isRepeated: false) == .send)
  }

  @Test func `any other new file is sent`() throws {
    #expect(try new() == .send)
  }

  // MARK: Which file a missing message is

  /// The message of mailbox 1 called “name” is this one of the files.
  private func match(_ files: (name: String, mailbox: MailboxKey)...) throws -> Int? {
    var record = RuleCases.record()
    record.headerHash = 5
    let unknown = try files.map { try RuleCases.file($0.name, in: $0.mailbox) }
    let matcher = MoveMatcher(
      missing: [MissingMessage(mailbox: 1, record: record)], unknown: unknown)
    return matcher.matched.first.flatMap { unknown.firstIndex(of: $0.file) }
  }

  private let rewritten = "name~k1"

  @Test func `a rewritten name in the same folder comes before the same name elsewhere`() throws {
    #expect(try match(("name", 2), (rewritten, 1)) == 1)
  }

  @Test func `the same name comes before a rewritten one elsewhere`() throws {
    #expect(try match((rewritten, 2), ("name", 3)) == 1)
  }

  @Test func `a rewritten name elsewhere comes before another name in the same folder`() throws {
    #expect(try match(("other", 1), (rewritten, 2)) == 1)
  }

  @Test func `another name in the same folder comes before one elsewhere`() throws {
    #expect(try match(("other", 2), ("another", 1)) == 1)
  }

  @Test func `content alone is enough, and the first of equals counts`() throws {
    #expect(try match(("other", 2), ("another", 2)) == 0)
  }
}
