import Foundation
import MailTestKit
import SyncPlan
import Testing

/// Copies and drafts whose old place was renumbered before the old message could be expunged.
struct RenumberingTests {
  private static let copying = ServerDialect(capabilities: ["UIDPLUS"])

  private func edit(_ stage: Stage, _ draft: LocalMessage) throws {
    try stage.reader.rewrite(draft, draft.raw + Array("one more line\n".utf8))
  }

  @Test(arguments: [false, true])
  func `an old number is never expunged after a renumbering`(isDraft: Bool) throws {
    let stage = try Stage(Self.copying) { account in
      account.change("Drafts") { $0.deliver(SampleMessage(token: "d0", flags: ["\\Draft"])) }
    }
    let box = isDraft ? "Drafts" : "INBOX"
    if isDraft {
      stage.account.change(box) { box in
        for number in 1..<4 { box.deliver(SampleMessage(token: "d\(number)", flags: ["\\Draft"])) }
      }
      stage.pull(nil)
      try edit(stage, stage.local("d0"))
    } else {
      try stage.move("m0", to: "Work")
    }
    stage.refusals.value = [.init(name: "UID EXPUNGE", words: "NO [CANNOT] not now")]
    stage.push(1)
    stage.refusals.value = []
    // The number of the message that was to go is another's now.
    stage.account.change(box) { box in
      box.messages.reverse()
      box.renumber()
      for index in box.messages.indices { box.messages[index].flags = [] }
    }
    let before = stage.account[box]?.messages.count
    stage.pull(nil)
    stage.push(nil)
    #expect(stage.account[box]?.messages.count == before)
    #expect(stage.account[box]?.messages.allSatisfy { !$0.flags.contains("\\Deleted") } == true)
    stage.pull(nil)
    let tree = try stage.tree()
    for token in isDraft ? ["d1", "d2", "d3"] : ["m1", "m2", "m3"] {
      #expect(stage.places(token) == [box] && tree.count(of: "<\(token)@") == 1, "\(token)")
    }
  }

  /// The message that has the number by now is the very same, header and content: only UIDVALIDITY tells it from the one
  /// that was to go.
  @Test(arguments: [false, true])
  func `an old number is never expunged, and be it the message's twin that has it`(isDraft: Bool)
    throws
  {
    let box = isDraft ? "Drafts" : "INBOX"
    let token = isDraft ? "d0" : "m0"
    let flags = isDraft ? ["\\Draft"] : []
    let stage = try Stage(Self.copying) { account in
      account.change(box) { box in
        if isDraft { box.deliver(SampleMessage(token: token, flags: flags)) }
        box.deliver(SampleMessage(token: token, flags: flags + ["\\Flagged"]))
      }
    }
    let twins = try stage.tree()[box].filter { contains($0.raw, Array("<\(token)@".utf8)) }
    #expect(twins.count == 2)
    let file = try #require(twins.first { !$0.flags.contains("F") })
    if isDraft { try edit(stage, file) } else { try stage.reader.move(file, to: "Work") }
    stage.refusals.value = [.init(name: "UID EXPUNGE", words: "NO [CANNOT] not now")]
    stage.push(1)
    stage.refusals.value = []
    func isTwin(_ message: ModelMessage) -> Bool {
      message.flags.contains("\\Flagged") && contains(message.bytes, Array("<\(token)@".utf8))
    }
    stage.account.change(box) { box in
      guard let place = box.messages.firstIndex(where: isTwin) else { return }
      box.messages.insert(box.messages.remove(at: place), at: 0)
      box.renumber()
    }
    if Self.hasSQLite { #expect(try steps(stage, "SELECT count(*) FROM pushStep") == "1") }
    stage.pull(nil)
    if Self.hasSQLite {
      #expect(try steps(stage, "SELECT count(*) FROM pushStep") == "0", "forgotten at once")
    }
    stage.push(nil)
    stage.pull(nil)
    stage.push(nil)
    let left = stage.account[box]?.messages.filter(isTwin) ?? []
    #expect(left.count == 1 && left.allSatisfy { !$0.flags.contains("\\Deleted") })
    let files = try stage.tree()[box].filter { contains($0.raw, Array("<\(token)@".utf8)) }
    #expect(files.count { $0.flags.contains("F") && !$0.flags.contains("T") } == 1)
  }

  private static let hasSQLite = findProgram("sqlite3") != nil

  /// Asks the account's state, or changes it.
  @discardableResult
  private func steps(_ stage: Stage, _ sql: String) throws -> String {
    let outcome = try runSuccessfully(
      ["sqlite3", stage.path + "/.mirror/state.db", sql])
    return outcome.outputText.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Steps that outlived the pull that should have forgotten them, say in a state from a backup.
  @Test(
    .enabled(if: hasSQLite),
    arguments: ["sourceValidity", "sourceHeaderHash", "sourceContentHash"])
  func `a step about another numbering, or another message, expunges nothing`(column: String) throws
  {
    for isOther in [true, false] {
      let stage = try Stage(Self.copying)
      try stage.move("m0", to: "Work")
      stage.refusals.value = [.init(name: "UID EXPUNGE", words: "NO [CANNOT] not now")]
      stage.push(1)
      stage.refusals.value = []
      if isOther { try steps(stage, "UPDATE pushStep SET \(column) = \(column) + 1") }
      stage.forget()
      stage.push(nil)
      #expect(stage.places("m0") == ["Work"])
      #expect(stage.count(of: "<m0@", in: "INBOX") == (isOther ? 1 : 0))
      #expect(stage.changes(named: "UID EXPUNGE").isEmpty == isOther)
    }
  }

  /// Same header, other bodies: the date tells which record is whose.
  @Test func `of messages with one header each keeps its own record`() throws {
    let first = SampleMessage(token: "twin", body: "AAAA\n", date: 1_600_000_000)
    let second = SampleMessage(token: "twin", body: "BBBB, longer\n", date: 1_600_100_000)
    let stage = try Stage(.modern) { account in
      account.change("Work") { box in
        for message in [first, second] { box.deliver(message) }
      }
    }
    let gone = try #require(
      try stage.tree()["Work"].first { contains($0.raw, Array("AAAA".utf8)) })
    try stage.reader.remove(gone)
    stage.account.change("Work") { box in
      box.messages.reverse()
      box.renumber(from: 50)
    }
    stage.pull(nil)
    stage.push()
    #expect(stage.count(of: "AAAA", in: "Trash") == 1 && stage.count(of: "BBBB", in: "Work") == 1)
    try stage.expectSettled()
  }
}
