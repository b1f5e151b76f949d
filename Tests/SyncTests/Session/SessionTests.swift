import Foundation
import MailTestKit
import Remote
import Settings
import Sync
import SyncPlan
import Testing
import Transport

/// Runs that follow one another, as a watch has them.
@Suite(.serialized) struct SessionTests {
  private struct Stage {
    let account = MailAccount(["INBOX", "Work"])
    let server: ModelServer
    let mirror: MirrorProgram
    let session: AccountSession

    init(_ dialect: Dialect = .modern) throws {
      account.add("Drafts", attributes: ["\\Drafts"])
      account.add("Trash", attributes: ["\\Trash"])
      for number in 0..<5 {
        account.deliver(SampleMessage(token: "m\(number)"), labelled: ["INBOX"])
      }
      account.deliver(SampleMessage(token: "w"), labelled: ["Work"])
      server = try ModelServer(account, dialect)
      mirror = try MirrorProgram(MailTestKit.AccountSettings(port: server.port, user: "u"))
      session = try Self.session(mirror, keeping: KeptConnections.Patience())
      let first = pull()
      #expect(first.exitStatus == 0 && first.new == 6, "\(first.problems)")
      server.forget()
    }

    static func session(_ mirror: MirrorProgram, keeping: KeptConnections.Patience?) throws
      -> AccountSession
    {
      let configuration = try Configuration.load(
        path: mirror.configuration, environment: mirror.environment)
      return AccountSession(
        AccountRun(
          account: try #require(configuration.accounts.first), root: configuration.root,
          observer: SilentObserver(), interrupt: Interrupt(), keeping: keeping,
          environment: mirror.environment))
    }

    /// And lets the account go.
    func pull(_ hinted: String...) -> PullSummary {
      defer { session.release() }
      return session.pull(
        PullOptions(tellsArrivals: true, hinted: Set(hinted.map { Array($0.utf8) })))
    }

    func push(leaving: Set<LaterChange> = []) -> PushSummary {
      defer { session.release() }
      return session.push(PushOptions(leaving: leaving), advice: .none)
    }

    func received(_ command: String) -> [String] {
      server.received.filter { $0.contains(" " + command) }
    }

    func holds(_ token: String, in folder: String) throws -> Bool {
      try mirror.tree().message(with: "<\(token)@", in: folder) != nil
    }
  }

  @Test func `a connection that is kept needs no second log-in`() throws {
    let stage = try Stage()
    for number in 0..<3 {
      stage.account.deliver(SampleMessage(token: "n\(number)"), labelled: ["INBOX"])
      let summary = stage.pull()
      #expect(summary.exitStatus == 0 && summary.new == 1, "\(summary)")
    }
    #expect(stage.received("AUTHENTICATE") == [] && stage.received("LOGIN") == [])
    stage.session.close()
    #expect(stage.pull().exitStatus == 0)
    #expect(stage.received("AUTHENTICATE").count == 1)
  }

  @Test func `connections are logged out when they have waited`() throws {
    let stage = try Stage()
    let next = try #require(stage.session.closeIdleConnections())
    #expect(next > .now && next < .now + .seconds(61))
    stage.session.closeWaitingConnections()
    #expect(stage.session.closeIdleConnections() == nil)
    // The server reads it on a thread of its own.
    let end = monotonicSeconds() + 60
    while stage.received("LOGOUT").isEmpty, monotonicSeconds() < end { pause(0.01) }
    #expect(stage.received("LOGOUT").count >= 1)
  }

  @Test func `between runs the account is another's`() throws {
    let stage = try Stage()
    let other = try Stage.session(stage.mirror, keeping: nil)
    stage.account.deliver(SampleMessage(token: "theirs"), labelled: ["INBOX"])
    #expect(other.pull(PullOptions()).new == 1)
    // The other has it now, and nobody watches.
    #expect(stage.pull().exitStatus == 75)
    other.close()
    stage.account.deliver(SampleMessage(token: "ours"), labelled: ["INBOX"])
    let summary = stage.pull()
    #expect(summary.exitStatus == 0 && summary.new == 1, "\(summary)")
  }

  @Test func `the state is not copied for each message of a watch`() throws {
    let stage = try Stage()
    let other = try Stage.session(stage.mirror, keeping: nil)
    func backup() throws -> Int? {
      let facts = try FileManager.default.attributesOfItem(
        atPath: stage.mirror.account + "/.mirror/state.backup.db")
      return (facts[.systemFileNumber] as? NSNumber)?.intValue
    }
    let first = try backup()
    stage.account.deliver(SampleMessage(token: "a"), labelled: ["INBOX"])
    #expect(stage.pull().new == 1)
    #expect(try backup() == first)
    // Kept open, so that its number is not given away.
    let kept = FileHandle(forReadingAtPath: stage.mirror.account + "/.mirror/state.backup.db")
    stage.account.deliver(SampleMessage(token: "b"), labelled: ["INBOX"])
    #expect(other.pull(PullOptions()).new == 1)
    other.close()
    #expect(try backup() != first)
    withExtendedLifetime(kept) {}
  }

  @Test func `the copy that was put off is made when the watch ends`() throws {
    let stage = try Stage()
    let backup = URL(filePath: stage.mirror.account + "/.mirror/state.backup.db")
    let first = try Data(contentsOf: backup)
    stage.account.deliver(SampleMessage(token: "a"), labelled: ["INBOX"])
    #expect(stage.pull().new == 1)
    #expect(try Data(contentsOf: backup) == first)
    stage.session.close()
    let last = try Data(contentsOf: backup)
    #expect(last != first)
    // Nothing is owed any more, and the account is free.
    stage.session.close()
    #expect(try Data(contentsOf: backup) == last)
    let other = try Stage.session(stage.mirror, keeping: nil)
    #expect(other.pull(PullOptions()).exitStatus == 0)
    other.close()
  }

  @Test func `what a hint names is opened without a list`() throws {
    let stage = try Stage()
    stage.account.deliver(SampleMessage(token: "n"), labelled: ["Work"])
    let summary = stage.pull("Work")
    #expect(summary.exitStatus == 0 && summary.new == 1, "\(summary)")
    #expect(summary.mailboxes.first?.arrived.count == 1)
    #expect(stage.received("LIST") == [] && stage.received("AUTHENTICATE") == [])
    #expect(stage.received("EXAMINE").count == 1)
    #expect(try stage.holds("n", in: "Work"))
    // A list finds nothing more to do.
    stage.server.forget()
    #expect(stage.pull().mailboxesChanged == 0)
    #expect(stage.received("EXAMINE") == [])
  }

  @Test func `a server that has hung up meanwhile is met anew, without a word`() throws {
    for hint in [[], ["INBOX"]] {
      let stage = try Stage()
      let isFirst = Locked(true)
      stage.server.alter { command, honest in
        guard command.name != "GREETING" else { return honest }
        return isFirst.change { first in
          defer { first = false }
          return first
        } ? [.hangUp] : honest
      }
      stage.account.deliver(SampleMessage(token: "n"), labelled: ["INBOX"])
      let summary = hint.isEmpty ? stage.pull() : stage.pull("INBOX")
      #expect(summary.exitStatus == 0 && summary.new == 1, "\(summary)")
      #expect(summary.problems == [] && summary.seconds < 5, "no wait of 5 s")
      #expect(stage.received("AUTHENTICATE").count == 1)
    }
  }

  @Test func `a mailbox that another one's name came to is followed`() throws {
    let stage = try Stage()
    stage.account.change { boxes in
      for index in boxes.indices where boxes[index].name == "Work" { boxes[index].name = "Old" }
    }
    stage.account.add("Work", uidValidity: 1_600_000_000)
    stage.account.deliver(SampleMessage(token: "n"), labelled: ["Work"])
    let summary = stage.pull("Work")
    #expect(summary.exitStatus == 0, "\(summary)")
    #expect(summary.mailboxes.contains { $0.renamedFrom == "Work" })
    #expect(try stage.holds("w", in: "Old"))
    #expect(try stage.holds("n", in: "Work") && !stage.holds("w", in: "Work"))
  }

  @Test func `a pull says whether it left messages that a push sends`() throws {
    let stage = try Stage()
    #expect(!stage.pull().leavesPush)
    stage.account.change { boxes in
      for index in boxes.indices where boxes[index].name == "Work" {
        boxes[index].uidValidity += 1
        (boxes[index].messages, boxes[index].uidNext) = ([], 1)
      }
    }
    let summary = stage.pull()
    #expect(summary.leavesPush, "\(summary)")
    #expect(stage.push().uploaded == 1)
    #expect(!stage.pull().leavesPush)
  }

  @Test(arguments: ["Nowhere", "Trash"]) func `in doubt the pull is a whole one`(name: String)
    throws
  {
    let stage = try Stage()
    stage.account.change { $0.removeAll { $0.name == name } }
    stage.account.deliver(SampleMessage(token: "n"), labelled: ["INBOX"])
    let summary = stage.pull(name)
    #expect(summary.exitStatus == 0 && summary.new == 1, "\(summary)")
    #expect(stage.received("LIST").count == 1)
  }

  @Test func `a message that left the mailbox of a hint is looked for elsewhere at once`() throws {
    let stage = try Stage()
    try stage.account.change { boxes in
      let inbox = try #require(boxes.firstIndex { $0.name == "INBOX" })
      let work = try #require(boxes.firstIndex { $0.name == "Work" })
      let message = boxes[inbox].messages[1]
      boxes[inbox].expunge(message.uid)
      boxes[work].deliver(
        SampleMessage(bytes: message.bytes, date: message.date), identity: message.identity)
    }
    let summary = stage.pull("INBOX")
    #expect(summary.exitStatus == 0 && summary.gone == 1, "\(summary)")
    #expect(summary.mailboxes.allSatisfy { $0.arrived.isEmpty })
    #expect(try stage.holds("m1", in: "Work") && !stage.holds("m1", in: "INBOX"))
  }

  @Test func `what came and has a copy elsewhere may have been moved from there`() throws {
    let stage = try Stage()
    stage.account.deliver(SampleMessage(token: "n"), labelled: ["INBOX"])
    #expect(!stage.pull("INBOX").mayLeaveMoves)
    try stage.account.change { boxes in
      let inbox = try #require(boxes.firstIndex { $0.name == "INBOX" })
      let work = try #require(boxes.firstIndex { $0.name == "Work" })
      let message = boxes[work].messages[0]
      boxes[work].expunge(message.uid)
      boxes[inbox].deliver(
        SampleMessage(bytes: message.bytes, date: message.date), identity: message.identity)
    }
    let summary = stage.pull("INBOX")
    #expect(summary.new == 1 && summary.mayLeaveMoves, "\(summary)")
    let whole = stage.pull()
    #expect(whole.gone == 1 && !whole.mayLeaveMoves, "\(whole)")
    #expect(try stage.holds("w", in: "INBOX") && !stage.holds("w", in: "Work"))
  }

  @Test(arguments: ["Trash", nil]) func `what was deleted here is no news in Trash`(hint: String?)
    throws
  {
    let stage = try Stage()
    let gone = try #require(stage.mirror.tree().message(with: "<m1@", in: "INBOX"))
    try FileManager.default.removeItem(atPath: "\(stage.mirror.account)/\(gone.path)")
    #expect(stage.push().deleted == 1)
    let own = hint.map { stage.pull($0) } ?? stage.pull()
    #expect(own.new == 1 && own.mailboxes.allSatisfy { $0.arrived.isEmpty }, "\(own)")
    #expect(try stage.holds("m1", in: "Trash"))
    stage.account.deliver(SampleMessage(token: "t"), labelled: ["Trash"])
    #expect(stage.pull().mailboxes.map(\.arrived.count) == [1])
  }

  @Test func `a log-in that is refused is told apart`() throws {
    let stage = try Stage()
    #expect(!stage.pull().isLogInRefused)
    stage.session.close()
    stage.server.alter { command, honest in
      command.name == "AUTHENTICATE" || command.name == "LOGIN"
        ? [.line("\(command.tag) NO [AUTHENTICATIONFAILED] no")] : honest
    }
    let refused = stage.pull()
    #expect(refused.exitStatus == 77 && refused.isLogInRefused, "\(refused)")
    let alsoRefused = stage.push()
    #expect(alsoRefused.exitStatus == 0, "nothing to push, nobody asked: \(alsoRefused)")
    try FileManager.default.removeItem(atPath: stage.mirror.account)
    #expect(!stage.push().isLogInRefused)
  }

  @Test func `a connection that is always lost holds nobody up, and the next run does the rest`()
    throws
  {
    let stage = try Stage()
    let read = try #require(stage.mirror.tree().message(with: "<m2@", in: "INBOX"))
    try FileManager.default.moveItem(
      atPath: "\(stage.mirror.account)/\(read.path)",
      toPath: "\(stage.mirror.account)/INBOX/cur/\(read.base):2,S")
    let isLost = Locked(true)
    stage.server.alter { command, honest in
      command.name.hasSuffix("STORE") && isLost.value ? [.hangUp] : honest
    }
    let begun = ContinuousClock.now
    let lost = stage.push()
    #expect(lost.exitStatus != 0 && lost.marked == 0, "\(lost)")
    #expect(ContinuousClock.now - begun < .seconds(5), "no wait of 5, 15 and 45 s")
    isLost.change { $0 = false }
    let next = stage.push()
    #expect(next.exitStatus == 0 && next.marked == 1, "\(next)")
  }

  @Test func `drafts and deletions can wait while everything else goes`() throws {
    let stage = try Stage()
    let tree = try stage.mirror.tree()
    let gone = try #require(tree.message(with: "<m1@", in: "INBOX"))
    let read = try #require(tree.message(with: "<m2@", in: "INBOX"))
    try FileManager.default.removeItem(atPath: "\(stage.mirror.account)/\(gone.path)")
    try FileManager.default.moveItem(
      atPath: "\(stage.mirror.account)/\(read.path)",
      toPath: "\(stage.mirror.account)/INBOX/cur/\(read.base):2,S")
    try writeFile(
      "\(stage.mirror.account)/Drafts/cur/draft:2,DS", SampleMessage(token: "draft").bytes)
    let early = stage.push(leaving: [.drafts, .deletions])
    #expect(early.exitStatus == 0, "\(early)")
    #expect(early.marked == 1 && early.uploaded == 0 && early.deleted == 0, "\(early)")
    let late = stage.push()
    #expect(late.exitStatus == 0, "\(late)")
    #expect(late.marked == 0 && late.uploaded == 1 && late.deleted == 1, "\(late)")
    #expect(stage.received("AUTHENTICATE") == [])
  }
}
