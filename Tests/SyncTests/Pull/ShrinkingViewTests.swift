import MailTestKit
import Testing

/// A view that shows less all at once: where it ends, only what it shows can tell (promise 3).
struct ShrinkingViewTests {
  /// The INBOX holds these, each with the day of its INTERNALDATE.
  private func stage(_ dialect: ServerDialect, _ messages: [(token: String, day: Int64)]) throws
    -> Stage
  {
    try Stage(
      dialect, count: 0,
      more: { account in
        account.change("INBOX") { box in
          for message in messages {
            box.deliver(SampleMessage(token: message.token, date: date(message.day)))
          }
        }
      })
  }

  private func date(_ day: Int64) -> Int64 { 1_600_000_000 + day * 86_400 }

  @Test(arguments: Speaking.allCases)
  func `of a view by days that shrinks, what was left out with a lower number ends nothing`(
    speaking: Speaking
  ) throws {
    var qq = speaking.dialect
    qq.greeting = "* OK QQMail XMIMAP4Server ready"
    // The second came there lately, and kept its date.
    let stage = try stage(
      qq, [("oldest", 10), ("moved", 85), ("between", 50), ("gone", 90), ("newest", 95)])
    stage.reopen { $0.viewStart = date(80) }
    stage.pull()
    #expect(try stage.folders(of: "oldest") == ["INBOX"])
    #expect(try stage.folders(of: "between") == ["INBOX"], "older than all that is shown")

    try stage.expungeThere("gone")
    stage.pull()
    #expect(try stage.folders(of: "gone") == [], "it was in view")
    #expect(try stage.folders(of: "between") == ["INBOX"])
    try stage.expectSettled("while they are out of view", agrees: false)

    stage.reopen { $0.viewStart = nil }
    stage.forget()
    stage.pull()
    #expect(stage.bodyFetches == [])
    try stage.expectSettled("when they are shown again")
  }

  @Test func `what is told as expunged beside it does not end a view that shrinks`() throws {
    let stage = try stage(.modern, (0..<40).map { ("m\($0)", Int64($0)) })
    try stage.expungeThere("m0")
    stage.reopen { $0.viewLimit = 10 }
    let outcome = stage.pull(1)
    #expect(outcome.told.contains("29 of 39 messages"), "\(outcome.told)")
    #expect(try stage.folders(of: "m0") == [], "by VANISHED")
    for number in 1..<40 { #expect(try stage.folders(of: "m\(number)") == ["INBOX"]) }

    stage.reopen { $0.viewLimit = nil }
    stage.forget()
    stage.pull()
    #expect(stage.bodyFetches == [])
    try stage.expectSettled("when they are shown again")
  }
}
