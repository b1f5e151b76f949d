import Foundation
import MailTestKit
import Testing

/// The lines by which `pull --format jsonl` tells of new messages.
@Suite(.onBlockingThreads) struct ArrivedLinesTests {
  private struct Arrived: Decodable, Equatable {
    var account: String
    var mailbox: String
    var path: String
    var id: Int64
    var messageId: String?
    var from: String
    var subject: String
    var date: String
    var unread: Bool
  }

  private struct Event: Decodable { var event: String? }

  private func pull(_ mirror: MirrorProgram, _ more: String...) throws -> [Arrived] {
    let outcome = try mirror.run(["pull", "--format", "jsonl"] + more)
    #expect(outcome.ending == .exited(0), "\(outcome.summary)")
    return try outcome.outputText.split(separator: "\n").compactMap { line in
      let data = Data(line.utf8)
      guard try JSONDecoder().decode(Event.self, from: data).event == "arrived" else { return nil }
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      return try decoder.decode(Arrived.self, from: data)
    }
  }

  @Test(arguments: [Dialect.modern, .bare])
  func `each new message is told once, with its file and its id`(dialect: Dialect) throws {
    let stage = try PushStage(dialect)
    #expect(try pull(stage.mirror) == [])
    stage.account.deliver(SampleMessage(token: "fresh"), labelled: ["INBOX"])
    stage.account.deliver(SampleMessage(token: "read", flags: ["\\Seen"]), labelled: ["Work"])
    let arrived = try pull(stage.mirror)
    #expect(arrived.map(\.mailbox) == ["INBOX", "Work"])
    #expect(arrived.map(\.unread) == [true, false])
    for one in arrived {
      #expect(exists(one.path), "\(one)")
      let found = try stage.mirror.run([
        "search", "--format", "json", "id:\(one.messageId ?? "")",
      ])
      #expect(found.outputText.contains("\"id\": \(one.id)"), "\(found.summary)")
    }
    #expect(try pull(stage.mirror) == [])
  }

  @Test(arguments: [Dialect.modern, .bare])
  func `a message that another client moves is no new one`(dialect: Dialect) throws {
    let stage = try PushStage(dialect)
    try stage.account.change { boxes in
      let inbox = try #require(boxes.firstIndex { $0.name == "INBOX" })
      let work = try #require(boxes.firstIndex { $0.name == "Work" })
      let message = boxes[inbox].messages[1]
      boxes[inbox].expunge(message.uid)
      boxes[work].deliver(
        SampleMessage(bytes: message.bytes, date: message.date), identity: message.identity)
    }
    #expect(try pull(stage.mirror) == [])
    #expect(throws: Never.self) { try stage.local("m1", in: "Work") }
  }

  @Test func `a first pull tells all that it brings, and without an index nothing`() throws {
    let account = MailAccount(["INBOX"])
    for number in 0..<5 {
      account.deliver(SampleMessage(token: "m\(number)"), labelled: ["INBOX"])
    }
    let server = try ModelServer(account, .modern)
    let mirror = try MirrorProgram(AccountSettings(port: server.port, user: "u"))
    #expect(try pull(mirror).count == 5)
    account.deliver(SampleMessage(token: "m5"), labelled: ["INBOX"])
    #expect(try pull(mirror, "--no-index") == [])
  }
}
