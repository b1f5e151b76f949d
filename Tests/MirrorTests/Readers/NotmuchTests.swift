import MailTestKit
import Testing

/// notmuch beside us, with `contrib/readers/notmuch`.
@Suite(
  .onBlockingThreads, .enabled(if: Machine.hasDovecot && findProgram("notmuch") != nil))
struct NotmuchTests {
  private let bed: ReaderBed

  init() throws {
    bed = try ReaderBed()
    try bed.take("notmuch/config", to: ".config/notmuch/default/config")
    for hook in ["pre-new", "post-new"] {
      try bed.take(
        "notmuch/hooks/\(hook)", to: ".config/notmuch/default/hooks/\(hook)", mode: 0o755)
    }
  }

  private func notmuch(_ arguments: String, location: SourceLocation = #_sourceLocation) throws
    -> String
  {
    let outcome = try bed.shell("notmuch \(arguments)")
    #expect(outcome.status == 0, "\(outcome.summary)", sourceLocation: location)
    return outcome.outputText
  }

  @Test func `the mail is indexed and nothing of ours, and the hooks push, pull and tag`() throws {
    let queued = try bed.shell(
      "printf 'Subject: waits\\nTo: bob@example.org\\n\\nx\\n' | mirror sendmail -t")
    #expect(queued.status == 0, "\(queued.summary)")
    try bed.scenario.append(["fresh"])
    _ = try notmuch("new")
    #expect(try notmuch("count --output=files '*'") == "5\n")
    #expect(try notmuch("count tag:inbox and tag:unread") == "4\n")
    #expect(try notmuch("count tag:new") == "0\n")
    #expect(try notmuch("count id:fresh@example.org") == "1\n")
  }

  @Test func `what is tagged here is marked on the server, and the other way round`() throws {
    _ = try notmuch("new")
    _ = try notmuch("tag -unread +flagged -- id:apple@example.org")
    try bed.expect("apple", flags: "FS")
    try bed.expectPushed("apple", ["\\Flagged", "\\Seen"])
    let banana = try bed.scenario.client.uid(of: "banana", in: "INBOX")
    try bed.scenario.client.store([banana], "+FLAGS", ["\\Answered", "\\Seen"], in: "INBOX")
    _ = try notmuch("new")
    #expect(try notmuch("search --output=tags id:banana@example.org") == "inbox\nreplied\n")
  }

  @Test func `keywords are a field of their own`() throws {
    let outcome = try bed.mirror.run(["flag", "+todo", "id:cherry@example.org"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    _ = try notmuch("new")
    #expect(try notmuch("search --output=messages Keywords:todo") == "id:cherry@example.org\n")
  }
}
