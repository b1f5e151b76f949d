import Queue
import Testing

@testable import Outbox

/// Messages and copies in runs of their own, as a watch does it.
@Suite struct PartRunTests {
  @Test func `a run of messages leaves the copy to one of copies, which files it once`() throws {
    let send = try SendLab()
    _ = try send.queue()
    #expect(send.run(.messages).sentCount == 1)
    #expect(send.mailboxes.appends == 0)
    #expect(try send.lab.entries().awaitingCopies.count == 1)
    let other = try send.queue("other")
    for _ in 0..<2 { #expect(send.run(.copies).exitStatus == 0) }
    #expect(send.mailboxes.appends == 1)
    #expect(try send.lab.entries().awaitingCopies.isEmpty)
    #expect(try send.state(other) == .queued, "a run of copies sends nothing")
  }

  @Test func `what the run of copies may prove is not told before`() throws {
    let send = try SendLab()
    let id = try send.queue()
    send.server.faults[.dot] = [.closeAfterAccepting]
    #expect(send.run(.messages).problems.isEmpty)
    #expect(try send.state(id) == .unknown)
    #expect(try send.lab.entries().awaitingCopies == [id])
    let summary = send.run(.copies)
    #expect(summary.copiesStatus == 0 && summary.sendingStatus == 1)
    let words = try #require(summary.problems.first?.problem)
    #expect(words.contains("may have been sent or not") && !words.contains(".."), "\(words)")
    send.mailboxes.proven = [try #require(try send.entry(id)?.envelope?.messageID)]
    #expect(send.run(.copies).exitStatus == 0)
    #expect(try send.state(id) == .sent && send.server.accepted.count == 1)
  }

  @Test func `copies that are refused say so apart from the messages`() throws {
    let send = try SendLab()
    _ = try send.queue()
    send.run(.messages)
    send.mailboxes.appendFails = true
    let summary = send.run(.copies)
    #expect(summary.copiesStatus == 1 && summary.sendingStatus == 0)
    #expect(summary.problems.map(\.isOfCopies) == [true])
  }
}
