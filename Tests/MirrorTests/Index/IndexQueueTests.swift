import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The view `send_queue` while an index that is long built is brought up to date.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasIndexProgram && MirrorProgram.binary != nil))
struct IndexQueueTests {
  private static let messages = Machine.long ? 20_000 : 2_000
  private static let changes = Machine.long ? 5_000 : 4_000
  /// No more than search text may be dead before all of it is made anew, which is a first build again.
  private static let removals = Machine.long ? 5_000 : 900

  enum Change: CaseIterable { case delivered, removed, renamed }

  @Test(arguments: Change.allCases)
  func `what sendmail queues is in the view at once`(change: Change) throws {
    let index = try IndexProgram()
    let queue = try QueueingProgram(index)
    var mail = ThreadedMail(seed: 3)
    try index.fill(mail.messages(Self.messages), folders: ["personal/INBOX", "personal/Archive"])
    let changes = change == .removed ? Self.removals : Self.changes
    try index.fill(mail.messages(changes), folders: ["personal/Lists"])
    if change == .delivered { rename("\(index.root)/personal/Lists", index.home + "/later") }
    try index.runSuccessfully("update")
    switch change {
    case .delivered: rename(index.home + "/later", "\(index.root)/personal/Lists")
    case .removed: rename("\(index.root)/personal/Lists", index.home + "/gone")
    case .renamed: rename("\(index.root)/personal/Lists", "\(index.root)/personal/Sent")
    }

    let update = try index.start("update", "-vv")
    var ids: [String] = []
    var during = 0
    while !update.hasEnded {
      let id = "during.\(ids.count)@example.org"
      ids.append(id)
      let outcome = try queue.sendmail(id)
      #expect(outcome.status == 0, "\(outcome.summary)")
      let isAtWork = !update.hasEnded
      let seen = try index.sql("SELECT state FROM send_queue WHERE message_id = '\(id)'")
      #expect(seen == [["queued"]], "\(id), \(outcome.seconds) s")
      if isAtWork { during += 1 }
    }
    let outcome = try update.wait()
    #expect(outcome.status == 0, "\(outcome.summary)")
    print("queued during an update (\(change)): \(during); \(outcome.errorText)")
    #expect(during > 0)
    #expect(try index.sql("SELECT count(*) FROM send_queue") == [["\(ids.count)"]])
  }
}

/// `mirror sendmail` into the tree of an index; nobody listens where it would send to.
struct QueueingProgram {
  private let mirror: MirrorProgram

  init(_ index: IndexProgram) throws {
    var settings = AccountSettings(port: 1, user: "alice")
    settings.imap = "\n[accounts.personal.smtp]\nhost = \"127.0.0.1\"\nport = 1\ntls = \"none\"\n"
    mirror = try MirrorProgram(settings, root: index.root)
  }

  func sendmail(_ id: String) throws -> Outcome {
    let file = mirror.home + "/message"
    try writeFile(
      file,
      "From: alice@example.org\nTo: bob@example.org\nSubject: Queued\nMessage-ID: <\(id)>\n\nHello.\n"
    )
    return try run(
      ["sh", "-c", "exec \"$@\" < \"$0\"", file]
        + mirror.command(["sendmail", "bob@example.org"]),
      environment: mirror.environment)
  }
}
