import MailTestKit
import Testing

/// mblaze with `contrib/readers/mblaze`.
@Suite(
  .onBlockingThreads, .enabled(if: Machine.hasDovecot && findProgram("mshow") != nil))
struct MblazeTests {
  private let bed: ReaderBed

  init() throws {
    bed = try ReaderBed()
    try bed.take("mblaze/profile", to: ".mblaze/profile")
    try bed.take("mblaze/mirror.sh", to: "mirror.sh")
  }

  /// Runs a script in which our functions are known; its words do not count as what it prints.
  private func shell(_ script: String, location: SourceLocation = #_sourceLocation) throws -> String
  {
    let outcome = try bed.shell(". ./mirror.sh; \(script)")
    #expect(outcome.status == 0, "\(outcome.summary)", sourceLocation: location)
    return outcome.outputText
  }

  @Test func `a message is read, flagged and answered`() throws {
    let list = try shell("mail_new personal/INBOX")
    #expect(list.split(separator: "\n").count == 3, "\(list)")
    let shown = try shell("mail_read 1")
    let token = try #require(ReaderBed.tokens.first { shown.contains("The text of \($0).") })
    try bed.expect(token, flags: "S")
    _ = try shell("mail_flag -F 1")
    try bed.expect(token, flags: "FS")
    _ = try shell("echo 'This is my answer.' >text; mrep -send -body text -- 1")
    try bed.expectQueued(to: ["carol@example.org"])
    try bed.expect(token, flags: "FRS")
    try bed.expectPushed(token, ["\\Answered", "\\Flagged", "\\Seen"])
  }

  @Test func `what a search finds is the sequence`() throws {
    let found = try shell("mail_find subject:plum; mshow 1")
    #expect(found.contains("The text of plum."), "\(found)")
  }

  @Test func `everywhere means all folders, and the queue is left alone`() throws {
    let queued = try bed.shell(
      "printf 'Subject: waits\\nTo: bob@example.org\\n\\nx\\n' | mirror sendmail -t")
    #expect(queued.status == 0, "\(queued.summary)")
    let queue = bed.mirror.account + "/.mirror/outbox/new"
    let before = names(in: queue)
    #expect(before.count == 1)
    let list = try shell("mail_new")
    #expect(list.split(separator: "\n").count == 4, "\(list)")
    #expect(names(in: queue) == before)
  }

  @Test func `a message that is refiled is moved on the server`() throws {
    _ = try shell("mail_new personal/INBOX; mseq 1 >first; mrefile 1 $HOME/Mail/personal/Archive")
    let moved = try #require(try bed.mirror.tree()["Archive"].first)
    let text = String(decoding: moved.raw, as: UTF8.self)
    let token = try #require(ReaderBed.tokens.first { text.contains("The text of \($0).") })
    try bed.expectPushed(token, [], in: "Archive")
  }
}
