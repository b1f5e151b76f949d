import Foundation
import MailCore
import Maildir
import Queue
import Settings
import Testing

@testable import Outbox

/// What could make one message two, or none.
@Suite struct SentOnceTests {
  // MARK: Proof

  @Test func `a copy of what some have got is no proof for the others`() throws {
    let send = try SendLab()
    let id = try send.queue("x", to: "a@x.org", "b@x.org")
    send.server.recipientReplies = ["b@x.org": "451 4.2.0 later"]
    send.run()
    // The provider has filed the first transaction's message; the second is lost behind the dot.
    send.mailboxes.proven = [try #require(try send.entry(id)?.envelope?.messageID)]
    send.server.recipientReplies = [:]
    send.server.faults[.dot] = [.close]
    send.minutes = 1
    send.run()
    #expect(try send.state(id) == .unknown)
    #expect(send.mailboxes.sought.isEmpty)
    #expect(send.run().exitStatus == 1)
    #expect(try send.state(id) == .unknown && send.server.accepted.count == 1)
  }

  @Test func `a message that was sent again by the user's word is not proven by its first copy`()
    throws
  {
    let send = try SendLab()
    let id = try send.queue()
    send.server.faults[.dot] = [.closeAfterAccepting, .close]
    send.run()
    try send.lab.outbox().retry(id, at: send.now())
    send.mailboxes.proven = [try #require(try send.entry(id)?.envelope?.messageID)]
    send.run()
    #expect(try send.state(id) == .unknown)
  }

  @Test(arguments: ["Received: from x by y; z", "Resent-To: <c@x.org>"])
  func `a message that is passed on is not proven by the copy that was there before`(field: String)
    throws
  {
    let send = try SendLab()
    let id = try send.lab.accept(
      "\(field)\nFrom: z@z.org\nDate: x\nMessage-ID: <old@z.org>\nSubject: x\n\nx\n"
    ).id
    send.mailboxes.proven = ["old@z.org"]
    send.server.faults[.dot] = [.close]
    send.run()
    #expect(try send.state(id) == .unknown && send.mailboxes.sought.isEmpty)
  }

  @Test
  func `two queued messages of one Message-ID prove nothing, one subject gives no second key`()
    throws
  {
    let send = try SendLab()
    let text = "Message-ID: <same@x.org>\nSubject: x\n\nx\n"
    let ids = [try send.lab.accept(text).id, try send.lab.accept(text).id]
    send.mailboxes.proven = ["same@x.org"]
    send.server.faults[.dot] = [nil, .close]
    send.run()
    #expect(try send.state(ids[1]) == .unknown && send.mailboxes.sought.isEmpty)
    let other = try SendLab()
    for _ in 0..<2 { _ = try other.queue("Report") }
    _ = try other.queue("Alone")
    other.server.faults[.dot] = [nil, .close, .close]
    other.run()
    #expect(other.mailboxes.sought.map(\.subject) == [nil, "Alone"])
    #expect(other.mailboxes.sought.allSatisfy { $0.otherIDs.count == 2 })
  }

  @Test func `an edited message is another one where anybody may have the old one`() throws {
    let send = try SendLab()
    let id = try send.queue("x", to: "a@x.org", "b@x.org")
    send.server.recipientReplies = ["b@x.org": "550 5.1.1 nobody"]
    send.run()
    let outbox = try send.lab.outbox()
    let seen = try outbox.beginEdit(id, at: send.now())
    let edited = EditedMessage(seen, try send.lab.bytes(id))
    let text = String(decoding: edited.text, as: UTF8.self)
    #expect(text.contains("X-Envelope-To: b@x.org\n"))
    let new = try edited.queue(
      edited.text, account: send.lab.accounts[0], accounts: send.lab.accounts,
      root: send.lab.root, localNames: [])
    try outbox.finishEdit(seen, replacement: new.id, at: send.now())
    #expect(new.messageID != seen.envelope?.messageID && new.recipients == ["b@x.org"])
    let fresh = try send.queue("y")
    let untouched = try outbox.beginEdit(fresh, at: send.now())
    let draft = EditedMessage(untouched, try send.lab.bytes(fresh))
    let again = try draft.queue(
      draft.text, account: send.lab.accounts[0], accounts: send.lab.accounts,
      root: send.lab.root, localNames: [])
    #expect(again.messageID == untouched.envelope?.messageID)
  }

  @Test func `an edit keeps what reports were asked for`() throws {
    let send = try SendLab()
    let id = try send.lab.accept("Subject: x\n\nx\n", ["-N", "never", "a@x.org"]).id
    let seen = try send.lab.outbox().beginEdit(id, at: send.now())
    let draft = EditedMessage(seen, try send.lab.bytes(id))
    let new = try draft.queue(
      draft.text, account: send.lab.accounts[0], accounts: send.lab.accounts,
      root: send.lab.root, localNames: [])
    #expect(new.notify == "NEVER")
  }

  // MARK: Copies

  /// The line was lost behind the last of them, or the run ended, while the server was still at work.
  @Test func `copies that the server is still storing are looked for again, not filed again`()
    throws
  {
    let send = try SendLab()
    let ids = try (0..<3).map { try send.queue("m\($0)") }
    send.mailboxes.appendFails = true
    send.run()
    #expect(send.mailboxes.appends == 3)
    send.mailboxes.appendFails = false
    send.mailboxes.looksTooEarly = 3
    send.run()
    #expect(send.mailboxes.appends == 3 && send.mailboxes.sent.count == 3)
    for id in ids { #expect(try send.entry(id)?.phase.copy ?? .filed == .filed) }
  }

  /// Nothing can be on its way any more: who is over quota does not wait with each push.
  @Test func `a copy that was begun long ago is looked for once`() throws {
    let send = try SendLab()
    let id = try send.queue()
    send.mailboxes.refused = [try #require(try send.entry(id)?.envelope?.messageID)]
    send.run()
    send.mailboxes.refused = []
    send.mailboxes.looksTooEarly = 2
    send.minutes = 1
    send.run()
    #expect(send.mailboxes.looksTooEarly == 1 && send.mailboxes.appends == 2)
    #expect(send.mailboxes.sent.count == 1)
  }

  // MARK: Races

  @Test
  func
    `who holds, releases, edits and discards beside a push makes nothing two, and loses nothing`()
    throws
  {
    let send = try SendLab()
    let ids = try (1...60).map { try send.queue("Number \($0).") }
    let path = send.lab.root + "/work"
    let (over, done) = (Flag(), DispatchSemaphore(value: 0))
    let discarded = Flag()
    Thread.detachNewThread {
      var numbers = SystemRandomNumberGenerator()
      while !over.isSet {
        guard let tree = try? AccountTree.openExisting(path: path),
          let outbox = try? Outbox.open(in: tree), let id = ids.randomElement(using: &numbers)
        else { continue }
        switch numbers.next() % 10 {
        case 0...3: try? outbox.hold(id, reason: HoldReason.byHand, at: .now())
        case 4...7: try? outbox.release(id, at: .now())
        case 8:
          if let seen = try? outbox.beginEdit(id, at: .now()) {
            try? outbox.cancelEdit(seen, at: .now())
          }
        default:
          if numbers.next() % 4 == 0, (try? outbox.discard(id, at: .now())) != nil {
            discarded.note(id.text)
          }
        }
      }
      done.signal()
    }
    for _ in 0..<20 { send.run() }
    over.set()
    done.wait()
    for entry in try send.lab.entries() where entry.state == .held {
      try send.lab.outbox().release(entry.id, at: send.now())
    }
    send.run()
    for (number, id) in zip(1..., ids) {
      let copies = send.server.accepted.count { $0.text.contains("Subject: Number \(number).\r\n") }
      #expect(copies == 1 || copies == 0 && discarded.noted.contains(id.text), "\(id) \(copies)")
    }
  }

  /// Between two threads.
  private final class Flag: @unchecked Sendable {  // everything behind `lock`
    private let lock = NSLock()
    private var value = false
    private var texts: Set<String> = []
    var isSet: Bool { lock.withLock { value } }
    var noted: Set<String> { lock.withLock { texts } }
    func set() { lock.withLock { value = true } }
    func note(_ text: String) { _ = lock.withLock { texts.insert(text) } }
  }

  // MARK: Restores

  @Test func `in a tree that came back from elsewhere nothing is sent until it is released`() throws
  {
    let send = try SendLab()
    let ids = [try send.queue("one"), try send.queue("two")]
    send.restored = "the tree was restored"
    #expect(send.run().exitStatus == 1)
    #expect(send.server.connections == 0 && send.restored == nil)
    #expect(try ids.map { try send.state($0) } == [.held, .held])
    try send.lab.outbox().release(ids[0], at: send.now())
    send.run()
    #expect(try ids.map { try send.state($0) } == [.sent, .held])
  }

  // MARK: Trees that are not there

  @Test func `nothing is queued into a tree that is not mounted`() throws {
    let lab = try OutboxLab()
    struct Gone: Explained {
      var explanation: Explanation { Explanation(problem: "gone", exitStatus: .refused) }
    }
    var request = MessageAcceptance.Request()
    request.recipients = ["a@x.org"]
    func accept(root: String, _ check: @escaping (AccountSettings) throws -> Void) throws {
      let spool = MessageSpool(directory: NSTemporaryDirectory())
      try spool.append(Array("Subject: x\n\nx\n".utf8))
      _ = try MessageAcceptance(
        request, accounts: lab.accounts, root: root, localNames: [], checkTree: check
      ).accept(spool)
    }
    let gone = AcceptanceError.treeAbsent(path: lab.root, why: "gone")
    #expect(throws: gone) { try accept(root: lab.root) { _ in throw Gone() } }
    #expect(gone.explanation.exitStatus == .busy)
    #expect(throws: AcceptanceError.treeAbsent(path: lab.root + "/disk", why: nil)) {
      try accept(root: lab.root + "/disk/mail") { _ in }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: lab.root).isEmpty)
    // A first message before any pull.
    try accept(root: lab.root + "/mail") { _ in }
    #expect(try OutboxReader.entries(account: lab.root + "/mail/work").count == 1)
  }

  @Test func `nothing stays queued for an account that was removed meanwhile`() throws {
    let lab = try OutboxLab()
    var request = MessageAcceptance.Request()
    request.recipients = ["a@x.org"]
    let spool = MessageSpool(directory: NSTemporaryDirectory())
    try spool.append(Array("Subject: x\n\nx\n".utf8))
    let acceptance = MessageAcceptance(
      request, accounts: lab.accounts, root: lab.root, localNames: [], isConfigured: { _ in false })
    #expect(throws: AcceptanceError.accountRemoved("work")) { _ = try acceptance.accept(spool) }
    #expect(try OutboxReader.entries(account: lab.root + "/work").isEmpty)
  }

  @Test func `what the server would not take is refused at once, when it has said so before`()
    throws
  {
    let send = try SendLab()
    send.server.extensions = ["SIZE 1000", "AUTH PLAIN"]
    let large = "Subject: x\n\n" + String(repeating: "0123456789\n", count: 200)
    let first = try send.lab.accept(large).id
    #expect(send.run().exitStatus == 1)
    #expect(try send.state(first) == .failed)
    #expect(throws: AcceptanceError.self) { try send.lab.accept(large) }
    #expect(try send.lab.entries().map(\.id) == [first])
    // Another server has said nothing yet.
    let smtp = send.lab.accounts[0].smtp
    send.lab.accounts[0].smtp?.host = "elsewhere.example"
    _ = try send.lab.accept(large)
    send.lab.accounts[0].smtp = smtp
    #expect(throws: AcceptanceError.self) { try send.lab.accept(large) }
    send.server.extensions = ["AUTH PLAIN"]
    _ = try send.queue("small")
    send.run()
    _ = try send.lab.accept(large)
  }

  // MARK: Copies

  @Test func `one copy that is refused stands in no other's way, and its message is kept`() throws {
    let send = try SendLab()
    let bad = try send.queue("bad")
    let good = try send.queue("good")
    send.mailboxes.refused = [try #require(try send.entry(bad)?.envelope?.messageID)]
    #expect(send.run().exitStatus == 1)
    #expect(try send.entry(good)?.phase.copy == .filed)
    #expect(try send.entry(bad)?.phase.copy == .appending && send.entry(bad)?.file != nil)
    send.minutes = 40 * 24 * 60
    #expect(send.run().exitStatus == 1)
    #expect(try send.entry(bad)?.file != nil && send.entry(good) == nil)
    send.mailboxes.refused = []
    #expect(send.run().exitStatus == 0)
    #expect(send.mailboxes.sent.count == 2)
  }

  @Test func `a copy that the mail reader saved is the copy`() throws {
    let send = try SendLab()
    let id = try send.queue()
    send.localCopies = [try #require(try send.entry(id)?.envelope?.messageID)]
    #expect(send.run().exitStatus == 0)
    #expect(send.mailboxes.appends == 0)
    #expect(try send.entry(id)?.phase.copy == .filed)
  }

  @Test func `what was sent tells which message it answers, and which it passes on`() throws {
    let send = try SendLab()
    _ = try send.lab.accept("In-Reply-To: <a@x>\nReferences: <0@x> <a@x>\nSubject: Re: x\n\nx\n")
    _ = try send.lab.accept("References: <0@x> <b@x>\nSubject: Fwd: x\n\nx\n")
    _ = try send.lab.accept("X-Forwarded-Message-Id: <c@x>\nSubject: y\n\nx\n")
    _ = try send.lab.accept("Resent-To: b@x.org\nIn-Reply-To: <d@x>\nSubject: z\n\nx\n")
    send.run()
    #expect(send.noted.map(\.answers) == [["a@x"], [], [], []])
    #expect(send.noted.map(\.forwards) == [[], ["b@x"], ["c@x"], []])
    send.run()
    #expect(send.noted.count == 4)
  }
}
