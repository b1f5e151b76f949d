import Foundation
import Sync
import Testing

@testable import MirrorCLI

@Suite struct StatusTextTests {
  private func status(_ json: String) throws -> AccountStatus {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode(AccountStatus.self, from: Data(json.utf8))
  }

  /// With a queue that was never used.
  private static func whole(_ status: AccountStatus) -> WholeStatus {
    WholeStatus(account: status, queue: QueueStatus(account: "/nonexistent/me"))
  }

  @Test func `a status tells run, tree, what waits, and problems`() throws {
    let status = try status(
      """
      {"account": "me", "lastRun": {"started": "2026-11-01T10:00:00Z",
       "ended": "2026-11-01T10:00:30Z", "exitStatus": 1},
       "mailboxes": [{"name": "INBOX", "messages": 3, "unread": 2, "problems": 1},
                     {"name": "Sent", "messages": 4, "problems": 0}],
       "pending": {"flags": 1, "keywords": 0, "moves": 2, "deletions": 0, "uploads": 0,
                   "copies": 0, "creations": 0, "renames": 0, "edits": 0},
       "queue": [], "problems": [{"mailbox": "INBOX", "problem": "One failed.", "exitStatus": 1}]}
      """)
    let now = try Date("2026-11-01T10:02:30Z", strategy: .iso8601)
    #expect(
      StatusText(Self.whole(status), now: now, isVerbose: false).lines == [
        "me: last run 2 min 0 s ago, done in part", "  7 messages in 2 mailboxes, 2 unread",
        "  waiting for a push: 1 flag change, 2 moves", "  INBOX: One failed.",
      ])
    #expect(
      StatusText(Self.whole(status), now: now, isVerbose: true).lines.contains("  Sent: 4 messages")
    )
  }

  @Test func `of a state that cannot be read nothing is told but why`() throws {
    var unread = try status(
      """
      {"account": "me", "mailboxes": [], "queue": [],
       "problems": [{"problem": "The disk took or gave nothing.", "exitStatus": 1}],
       "pending": {"flags": 0, "keywords": 0, "moves": 0, "deletions": 0, "uploads": 0,
                   "copies": 0, "creations": 0, "renames": 0, "edits": 0}}
      """)
    unread.isUnread = true
    #expect(
      StatusText(Self.whole(unread), now: Date(), isVerbose: false).lines == [
        "me: it has no state that can be read", "  The disk took or gave nothing.",
      ])
  }

  @Test func `folders, copies and edited messages are told of, one or many`() throws {
    func lines(_ count: Int) throws -> [String] {
      let status = try status(
        """
        {"account": "me", "mailboxes": [], "queue": [], "problems": [],
         "pending": {"flags": 0, "keywords": 0, "moves": 0, "deletions": 0, "uploads": 0,
                     "copies": \(count), "creations": \(count), "renames": \(count),
                     "edits": \(count)}}
        """)
      return StatusText(Self.whole(status), now: Date(), isVerbose: false).lines.suffix(2)
    }
    #expect(
      try lines(1) == [
        "  waiting for a push: 1 renamed folder, 1 new folder, 1 copy",
        "  edited here, and no draft, so on this side only: 1 message",
      ])
    #expect(
      try lines(2) == [
        "  waiting for a push: 2 renamed folders, 2 new folders, 2 copies",
        "  edited here, and no draft, so on this side only: 2 messages",
      ])
  }

  @Test func `an account that was never pulled, and a run that was killed`() throws {
    let pending =
      #""pending": {"flags":0,"keywords":0,"moves":0,"deletions":0,"uploads":0,"#
      + #""copies":0,"creations":0,"renames":0,"edits":0}"#
    let rest = #""mailboxes": [], "queue": [], "problems": [], "# + pending
    let fresh = try status(#"{"account": "me", "# + rest + "}")
    #expect(
      StatusText(Self.whole(fresh), now: Date(), isVerbose: false).lines.first == "me: never pulled"
    )
    let vanished = try status(
      #"{"account": "me", "mailboxes": [], "queue": [], "#
        + #""problems": [{"problem": "All is gone.", "exitStatus": 77}], "# + pending + "}")
    #expect(
      StatusText(Self.whole(vanished), now: Date(), isVerbose: false).lines
        .contains("me: no run is known"))
    let killed = try status(
      #"{"account": "me", "lastRun": {"started": "2026-11-01T10:00:00Z", "exitStatus": 0}, "#
        + rest + "}")
    let now = try Date("2026-11-01T10:00:05Z", strategy: .iso8601)
    #expect(
      StatusText(Self.whole(killed), now: now, isVerbose: false).lines.first
        == "me: last run began 5.0 s ago and has not ended")
  }
}
