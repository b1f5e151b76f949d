import Foundation
import MailCore
import Queue
import Testing

@testable import Outbox

/// Messages of which the envelope leaves before the one ahead of them is answered: a round trip saved, and nothing
/// else changed.
@Suite struct AnnouncedMessagesTests {
  @Test func `a message waits for the server once`() throws {
    let send = try SendLab()
    for number in 1...10 { _ = try send.queue("Number \(number)") }
    #expect(send.run().sentCount == 10)
    // Greeting, EHLO, AUTH, the first envelope, and each end.
    #expect(send.server.waits == 4 + 10)
    #expect(send.server.connections == 1)
  }

  @Test func `a message that is held or discarded once it is announced is not sent`() throws {
    for isDiscarded in [false, true] {
      let send = try SendLab()
      let ids = [try send.queue("one"), try send.queue("two"), try send.queue("three")]
      var isFirst = true
      send.server.atDot = {
        guard isFirst else { return }
        isFirst = false
        // The announcement has left by the time that the answer is read.
        let outbox = try? send.lab.outbox()
        if isDiscarded {
          _ = try? outbox?.discard(ids[1], at: send.now())
        } else {
          try? outbox?.hold(ids[1], reason: HoldReason.byHand, at: send.now())
        }
      }
      #expect(send.run().exitStatus == 0)
      #expect(send.server.accepted.map(\.text).allSatisfy { !$0.contains("two") })
      #expect(send.server.accepted.count == 2)
      #expect(try send.state(ids[0]) == .sent && send.state(ids[2]) == .sent)
      #expect(try send.state(ids[1]) == (isDiscarded ? nil : .held))
      #expect(try send.entry(ids[2])?.phase.attempts == 1)
    }
  }

  @Test func `a message changed once it is announced is parked, and the others go`() throws {
    let send = try SendLab()
    let ids = [try send.queue("one"), try send.queue("two"), try send.queue("three")]
    let directory = send.lab.queued()
    var isFirst = true
    send.server.atDot = {
      guard isFirst else { return }
      isFirst = false
      let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
      for name in names where name.contains(ids[1].text) {
        let file = FileHandle(forWritingAtPath: directory + name)
        try? file?.write(contentsOf: Data("SUBJECT".utf8))
      }
    }
    #expect(send.run().exitStatus == 1)
    #expect(try ids.map { try send.state($0) } == [.sent, .held, .sent])
    #expect(send.server.accepted.count == 2)
  }

  @Test func `an interrupt behind an announcement sends no more, and no attempt is lost`() throws {
    let send = try SendLab()
    let ids = [try send.queue("one"), try send.queue("two")]
    send.server.atAnnouncement = { send.interrupt.trigger() }
    #expect(send.run().exitStatus == 130)
    #expect(try ids.map { try send.state($0) } == [.sent, .queued])
    #expect(try send.entry(ids[1])?.phase.attempts == 0)
    #expect(send.server.accepted.count == 1)
    send.server.atAnnouncement = {}
    send.forgetInterrupt()
    #expect(send.run().exitStatus == 0 && send.server.accepted.count == 2)
  }

  @Test func `a message whose recipients need a second transaction goes on before the next`() throws
  {
    let send = try SendLab()
    send.server.recipientLimit = 1
    _ = try send.queue("one", to: "a@x.org", "b@x.org")
    _ = try send.queue("two", to: "c@x.org")
    #expect(send.run().exitStatus == 0)
    #expect(send.server.accepted.flatMap(\.recipients) == ["a@x.org", "b@x.org", "c@x.org"])
    #expect(send.server.connections == 1)
  }

  @Test func `a server that forgets what stood behind the dot is not told ahead again`() throws {
    let send = try SendLab()
    for number in 1...4 { _ = try send.queue("Number \(number)") }
    // As if it had timed out with the first announcement.
    send.server.timesOutBefore = [1: 1]
    #expect(send.run().exitStatus == 0)
    #expect(send.server.accepted.count == 4 && send.server.connections == 2)
    #expect(send.server.announcements == 1)
  }
}
