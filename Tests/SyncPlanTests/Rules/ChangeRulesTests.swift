import Ledger
import LedgerTestKit
import MailCore
import Maildir
import Testing

@testable import SyncPlan

/// ``Rules/changed``, ``Rules/moved``, ``Rules/edited``, ``Rules/marked`` and ``Rules/missing``, row by row. The messages are of mailbox 1.
struct ChangeRulesTests {
  private let key = MessageKey(mailbox: 1, uid: UID(1))

  private func change(
    _ record: MessageRecord = RuleCases.record(), _ subject: RefusalSubject? = .marks,
    _ change: (inout PushSituation) -> Void = { _ in }
  ) -> ChangedHere {
    ChangedHere(
      situation: RuleCases.situation(change), mailbox: 1, record: record, subject: subject)
  }

  // MARK: Any change

  @Test func `a change of a mailbox that takes none waits`() {
    #expect(Rules.changed.outcome(of: change { $0.closed = [1] }) == .wait(.readOnly))
  }

  @Test func `a change of a kind that was refused waits, others do not`() {
    #expect(Rules.changed.outcome(of: change { $0.denied = [1: [.marks]] }) == .wait(.readOnly))
    #expect(Rules.changed.outcome(of: change { $0.denied = [1: [.deletions]] }) == .send)
  }

  @Test func `a change of a message that an unfinished step is about waits for it`() {
    #expect(Rules.changed.outcome(of: change { $0.busy = [key] }) == .wait(.underWay))
  }

  @Test func `a change of a message that the server lost waits for a pull`() {
    #expect(Rules.changed.outcome(of: change { $0.lost = [key] }) == .wait(.pullFirst))
  }

  @Test func `a change of a message out of view waits until it is shown`() {
    var record = RuleCases.record()
    record.traits.insert(.outOfView)
    #expect(Rules.changed.outcome(of: change(record)) == .wait(.outOfView))
  }

  @Test func `any other change is sent`() {
    #expect(Rules.changed.outcome(of: change()) == .send)
  }

  // MARK: Missing files

  private func missing(
    _ record: MessageRecord, unsent: UnsentParts = UnsentParts(),
    _ change: (inout PushSituation) -> Void = { _ in }
  ) -> Sending {
    Rules.missing.outcome(
      of: MissingHere(
        change: self.change(record, .deletions) {
          $0.unsent = unsent
          change(&$0)
        }))
  }

  private func old(_ change: (inout MessageRecord) -> Void = { _ in }) -> MessageRecord {
    var record = RuleCases.record()
    record.internalDate = 99
    change(&record)
    return record
  }

  @Test func `what keeps any change waiting keeps a deletion waiting`() {
    #expect(missing(old()) { ($0.closed, $0.windowStart) = ([1], 100) } == .wait(.readOnly))
  }

  @Test func `what arrived before the window is no deletion`() {
    #expect(missing(old()) { $0.windowStart = 100 } == .leave)
  }

  @Test func `what may be left of it here, and is not sent, keeps it on the server`() {
    var part = PartLeft(headerHash: 7, size: 5000)
    part.place = "f/cur/x"
    var message = RuleCases.record()
    message.headerHash = 7
    let unsent = UnsentParts(parts: [part])
    #expect(missing(message, unsent: unsent) == .wait(.partIsLeft("f/cur/x")))
    #expect(missing(message, unsent: unsent) { $0.closed = [1] } == .wait(.readOnly))
    #expect(missing(RuleCases.record(), unsent: unsent) == .send, "another message")
  }

  @Test func `what a revert was about to set aside is nobody's deletion`() {
    let begun = old { $0.traits.insert(.beingReverted) }
    #expect(missing(begun) == .wait(.setAside))
    #expect(missing(begun) { $0.allowsMassDelete = true } == .wait(.setAside))
  }

  @Test func `any other missing message is one`() {
    #expect(missing(old()) == .send)
    #expect(missing(old()) { $0.windowStart = 99 } == .send)
    #expect(missing(old { $0.agreed.flags.insert(.flagged) }) { $0.windowStart = 100 } == .send)
    #expect(missing(old { $0.traits.insert(.differs) }) { $0.windowStart = 100 } == .send)
    #expect(missing(old { $0.traits.insert(.kept) }) { $0.windowStart = 100 } == .send)
  }

  // MARK: Moves

  private func move(
    to mailbox: MailboxKey? = 2, folder: String = "f", renamed: [String] = [],
    created: [String] = [],
    refused: [String] = [], _ change: (inout PushSituation) -> Void = { _ in }
  ) throws -> Sending {
    func paths(_ texts: [String]) throws -> Set<FolderPath> {
      Set(try texts.map { try #require(FolderPath(text: $0)) })
    }
    let file = try RuleCases.file(in: mailbox, folder: folder)
    return Rules.moved.outcome(
      of: MovedHere(
        situation: RuleCases.situation(change),
        move: MovedMessage(from: 1, record: RuleCases.record(), file: file),
        folders: PlannedFolders(
          renamed: try paths(renamed), created: try paths(created), refused: try paths(refused))))
  }

  @Test func `a message in a renamed folder goes along with its mailbox`() throws {
    #expect(try move(to: nil, renamed: ["f"]) { $0.closed = [1] } == .leave)
  }

  @Test func `a move waits for what any change waits for`() throws {
    #expect(try move { $0.busy = [key] } == .wait(.underWay))
  }

  @Test func `a move to a mailbox that takes no changes waits there`() throws {
    #expect(try move { $0.closed = [2] } == .waitAtTarget(.readOnly))
  }

  @Test func `a move to a mailbox to which moves were refused waits`() throws {
    #expect(try move { $0.denied = [1: [.moves(to: 2)]] } == .wait(.readOnly))
    #expect(try move { $0.denied = [1: [.moves(to: 3)]] } == .send)
  }

  @Test func `a move to a mailbox that is pulled half way waits for the pull`() throws {
    let half = RuleCases.mailbox(2) { $0.isDirty = true }
    #expect(try move { $0.mailboxes = [half] } == .wait(.pullFirst))
  }

  @Test func `a move to a mailbox, or a folder that becomes one, is sent`() throws {
    #expect(try move() == .send)
    #expect(try move(to: nil, created: ["f"]) == .send)
  }

  @Test func `a move to a folder whose name the server refuses waits`() throws {
    let folder = try #require(FolderPath(text: "f"))
    #expect(try move(to: nil, refused: ["f"]) == .wait(.nameRefused(folder)))
  }

  @Test func `a move to a folder that is to be matched waits for a pull`() throws {
    let mailbox = RuleCases.mailbox(2) { $0.needsAdoption = true }
    #expect(try move(to: nil, folder: "m2") { $0.mailboxes = [mailbox] } == .wait(.pullFirst))
  }

  @Test func `a move to the folder of a mailbox that is gone from the server waits`() throws {
    let mailbox = RuleCases.mailbox(2) { $0.isGone = true }
    let folder = try #require(FolderPath(text: "m2"))
    #expect(
      try move(to: nil, folder: "m2") { $0.mailboxes = [mailbox] } == .wait(.goneMailbox(folder)))
  }

  @Test func `a move to a folder of no mailbox waits`() throws {
    let folder = try #require(FolderPath(text: "f"))
    #expect(try move(to: nil) == .wait(.notMirrored(folder)))
  }

  // MARK: Edits

  private func edit(
    file: MessageMarks = MessageMarks(), agreed: MessageMarks = MessageMarks(),
    inDrafts: Bool = false, _ change: (inout PushSituation) -> Void = { _ in }
  ) throws -> Sending {
    let record = RuleCases.record(1, agreed)
    return Rules.edited.outcome(
      of: EditedHere(
        change: self.change(record, nil, change),
        edit: EditedMessage(mailbox: 1, record: record, file: try RuleCases.file(in: 1, file)),
        isInDrafts: inDrafts))
  }

  @Test func `an edit waits for what any change waits for`() throws {
    #expect(try edit(inDrafts: true) { $0.lost = [key] } == .wait(.pullFirst))
    #expect(try edit { $0.closed = [1] } == .wait(.readOnly))
  }

  @Test func `an edited draft is sent, by its mailbox or its mark on either side`() throws {
    #expect(try edit(inDrafts: true) == .send)
    #expect(try edit(file: MessageMarks(flags: .draft)) == .send)
    #expect(try edit(agreed: MessageMarks(flags: .draft)) == .send)
  }

  @Test func `an edit of any other message stays here`() throws {
    #expect(try edit() == .keepHere)
  }

  // MARK: Marks

  private func mark(
    isReplaced: Bool = false, _ change: (inout PushSituation) -> Void = { _ in }
  ) -> Sending {
    Rules.marked.outcome(
      of: MarkedHere(
        change: self.change(RuleCases.record(), .marks, change),
        delta: MarkDelta(agreed: MessageMarks(), local: MessageMarks(keywords: ["x"])),
        isReplaced: isReplaced))
  }

  @Test func `marks of a draft that is replaced go with the new one`() {
    #expect(mark(isReplaced: true) == .leave)
  }

  @Test func `marks that the mailbox cannot keep are not sent, nor counted as waiting`() {
    #expect(
      mark {
        $0.unkeepable = [1: UnkeepableMarks(keywords: ["x"])]
        $0.closed = [1]
      } == .leave)
  }

  @Test func `other marks are sent, or wait for what any change waits for`() {
    #expect(mark() == .send)
    #expect(mark { $0.denied = [1: [.marks]] } == .wait(.readOnly))
  }
}
