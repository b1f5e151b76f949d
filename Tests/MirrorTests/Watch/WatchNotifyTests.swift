import Foundation
import MailTestKit
import Testing

/// What a server answers to NOTIFY, and says of it later, is decided anew for each connection, and loses nothing.
@Suite(.onWaitingThreads, .enabled(if: WatchStage.isPossible), .serialized)
struct WatchNotifyTests {
  /// Changes words on their way; each is there in one piece.
  private static func changing(_ words: [(String, String)]) -> @Sendable ([UInt8]) -> [UInt8] {
    { bytes in
      guard let text = String(bytes: bytes, encoding: .utf8) else { return bytes }
      return Array(words.reduce(text) { $0.replacingOccurrences(of: $1.0, with: $1.1) }.utf8)
    }
  }

  /// By connections that are changed so.
  private func listenAnew(
    _ stage: WatchStage, up: [(String, String)] = [], down: [(String, String)] = []
  ) throws {
    stage.proxy.conditions.changeUp = Self.changing(up)
    stage.proxy.conditions.changeDown = Self.changing(down)
    try listenAnew(stage)
  }

  private func listenAnew(_ stage: WatchStage) throws {
    let before = stage.events.count
    stage.proxy.forget()
    stage.proxy.cutAll()
    try stage.wait("it listens anew") {
      stage.events.dropFirst(before).contains { $0.state == "connecting" } && stage.listens
    }
  }

  @Test func `an event that the server does not know is left out`() throws {
    let stage = try WatchStage { try $0.create("Other") }
    // It says which ones it lacks.
    try listenAnew(
      stage, up: [("MailboxName", "AnnotationChange")],
      down: [("[BADEVENT AnnotationChange", "[BADEVENT MailboxName")])
    #expect(stage.way == "notify")
    let asked = stage.proxy.commands(named: ["NOTIFY"])
    #expect(asked.count == 2 && asked.last?.contains("MailboxName") == false, "\(asked)")
    try stage.arrival("other", in: "Other")
    try stage.stop()
  }

  @Test func `a server with too many mailboxes for NOTIFY is listened to by IDLE`() throws {
    let stage = try WatchStage(settings: "poll = \"5s\"") { try $0.create("Other") }
    // Dovecot takes a hundred names.
    let names = (0..<101).map { "m\($0)" }.joined(separator: " ")
    try listenAnew(stage, up: [("(personal ", "(mailboxes (\(names)) ")])
    try stage.wait("by IDLE") { stage.way == "idle" }
    try stage.arrival("inbox")
    try stage.arrival("other", in: "Other")
    try stage.stop()
  }

  @Test func `NOTIFY may be taken away, and come back`() throws {
    let stage = try WatchStage(settings: "poll = \"5s\"") { try $0.create("Other") }
    try listenAnew(stage, down: [(" NOTIFY", "")])
    #expect(stage.way == "idle")
    try stage.arrival("inbox")
    try stage.arrival("other", in: "Other")
    stage.proxy.conditions.changeDown = nil
    try listenAnew(stage)
    #expect(stage.way == "notify")
    try stage.arrival("again", in: "Other")
    try stage.stop()
  }

  @Test(arguments: [
    "* NO NOTIFY error, some events may have got lost", "* OK [NOTIFICATIONOVERFLOW] too much",
  ])
  func `what the server lost is looked for when it says so`(line: String) throws {
    let stage = try WatchStage { try $0.create("Other") }
    let isMute = Locked(false)
    stage.proxy.conditions.changeDown = { bytes in
      isMute.value && bytes.starts(with: Array("* STATUS".utf8)) ? [] : bytes
    }
    try listenAnew(stage)
    isMute.change { $0 = true }
    for box in ["INBOX", "Other"] { try stage.append("lost", to: box) }
    pause(3)
    #expect(try stage.local("lost") == nil, "nobody said so")
    isMute.change { $0 = false }
    stage.proxy.say(line, toThoseThatSaid: "NOTIFY")
    for box in ["INBOX", "Other"] {
      try stage.wait("it is found") { try stage.local("lost", in: box) != nil }
    }
    if line.contains("[") {
      // An overflow has set NOTIFY off: it is set again within a minute.
      try stage.arrival("after", in: "Other")
    }
    try stage.expectEqual()
    try stage.stop()
  }
}
