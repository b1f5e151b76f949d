import Foundation
import MailTestKit
import Testing

/// `mirror-index stats` beside what plain SQL counts.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasIndexProgram)) struct StatsRunTests {
  private let index: IndexProgram

  init() throws {
    index = try IndexProgram()
    var generator = MailGenerator(seed: 11, profile: .office, count: 300)
    try index.fill(generator.messages(300))
    try index.runSuccessfully("update")
  }

  private struct Statistics: Decodable {
    struct Source: Decodable {
      var address: String
      var messages: Int
    }
    struct Year: Decodable {
      var year: Int
      var messages: Int
      var bytes: Int
    }
    struct AttachmentType: Decodable {
      var mediaType: String
      var attachments: Int
    }
    var messages: Int
    var bytes: Int
    var unread: Int
    var own: Int
    var senders: [Source]
    var years: [Year]
    var hours: [Int]
    var attachmentTypes: [AttachmentType]
  }

  private func statistics(_ words: String...) throws -> Statistics {
    let outcome = try Child(
      index.command(["stats", "--format", "json", "--limit", "1000"] + words),
      environment: index.environment
    ).wait()
    #expect(outcome.status == 0, "\(outcome.summary)")
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Statistics.self, from: Data(outcome.output))
  }

  @Test(arguments: ["", "is:unread", "has:attachment"])
  func `the numbers are those of the views`(query: String) throws {
    let found = try query.isEmpty ? statistics() : statistics(query)
    let which =
      query.isEmpty ? "1" : query == "is:unread" ? "is_unread" : "attachment_count > 0"
    func rows(_ sql: String) throws -> [[String]] { try index.sql(sql) }
    #expect(
      try rows("SELECT count(*), sum(size), sum(is_unread) FROM messages WHERE \(which)")
        == [["\(found.messages)", "\(found.bytes)", "\(found.unread)"]])
    #expect(
      try rows(
        """
        SELECT strftime('%Y', date, 'unixepoch'), count(*), sum(size) FROM messages WHERE \(which)
        GROUP BY 1 ORDER BY 1
        """)
        == found.years.filter { $0.messages > 0 }.map {
          ["\($0.year)", "\($0.messages)", "\($0.bytes)"]
        })
    for (hour, count) in found.hours.enumerated() {
      #expect(
        try rows(
          """
          SELECT count(*) FROM messages
          WHERE \(which) AND CAST(strftime('%H', date, 'unixepoch') AS INTEGER) = \(hour)
          """) == [["\(count)"]])
    }
    let senders = try rows(
      """
      SELECT a.address, count(*) FROM message_addresses AS a JOIN messages AS m ON m.id = a.message
        JOIN addresses AS p ON p.address = a.address
      WHERE a.role = 'from' AND NOT p.is_own AND \(which) GROUP BY a.address
      """)
    #expect(Set(senders) == Set(found.senders.map { [$0.address, "\($0.messages)"] }))
    let types = try rows(
      """
      SELECT a.media_type, count(*) FROM attachments AS a JOIN messages AS m ON m.id = a.message
      WHERE \(which) GROUP BY 1
      """)
    #expect(Set(types) == Set(found.attachmentTypes.map { [$0.mediaType, "\($0.attachments)"] }))
  }

  @Test func `the page stands alone`() throws {
    let page = try index.runSuccessfully("stats", "--html").outputText
    #expect(page.hasPrefix("<!DOCTYPE html>") && page.hasSuffix("</html>\n"))
    #expect(page.contains("<svg") && !page.contains("<script") && !page.contains("http:"))
    #expect(try index.run("stats", "--html", "--format", "json").status == 64)
  }

  @Test(.enabled(if: TerminalScreen.isPossible)) func `a terminal gets bars`() throws {
    let screen = try TerminalScreen(
      try index.command(["stats"]), environment: index.environment, columns: 80, rows: 24)
    #expect(try screen.status() == 0)
    let lines = try screen.lines
    #expect(lines.contains { $0.contains("█") } && lines.contains("Senders"))
  }
}
