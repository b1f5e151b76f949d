import Foundation
import MailTestKit
import Testing

/// A pulled tree at `~/Mail`, and a home in which the set-ups of `contrib/readers` lie where people put them.
struct ReaderBed {
  let scenario: Scenario
  /// Three messages in the INBOX, unread, the oldest first; more in other folders.
  static let tokens = ["apple", "banana", "cherry"]

  init(sync: String = "") throws {
    scenario = try Scenario(sync: sync)
    // Nothing listens there: what is queued stays queued.
    try scenario.mirror.configure {
      $0.imap = "\n[accounts.personal.smtp]\nhost = \"127.0.0.1\"\nport = 1\ntls = \"none\"\n"
    }
    try scenario.client.append(Self.tokens.enumerated().map { Self.letter($1, day: $0) })
    try scenario.client.create("Lists/swift")
    try scenario.client.append([Self.letter("plum", day: 9)], to: "Lists/swift")
    try pull()
    try makeDirectory(home + "/bin")
    // An editor that adds a line, whoever asks.
    try writeFile(
      home + "/bin/answer", "#!/bin/sh\necho 'This is my answer.' >>\"$1\"\n", mode: 0o755)
  }

  private static func letter(_ token: String, day: Int) -> SampleMessage {
    SampleMessage(
      bytes: crlf(
        """
        From: Carol Example <carol@example.org>
        To: Alice Example <alice@example.org>
        Subject: About \(token)
        Date: Sun, 13 Sep 2020 12:26:4\(day) +0000
        Message-ID: <\(token)@example.org>
        MIME-Version: 1.0
        Content-Type: text/plain; charset=utf-8

        The text of \(token).

        """), date: 1_600_000_000 + Int64(day))
  }

  var mirror: MirrorProgram { scenario.mirror }
  var home: String { scenario.mirror.home }

  /// `contrib` of this checkout.
  static let contrib: String = {
    var top = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { top.deleteLastPathComponent() }
    return top.path + "/contrib"
  }()

  /// What a program started by a person would have: `mirror` on the PATH, and an editor.
  var environment: [String: String] {
    var all = mirror.environment
    let programs = MirrorProgram.binary.map {
      String($0[..<($0.lastIndex(of: "/") ?? $0.startIndex)])
    }
    all["PATH"] = "\(home)/bin:\(programs ?? "/nowhere"):/usr/local/bin:/usr/bin:/bin:/usr/sbin"
    all["EDITOR"] = "answer"
    all["VISUAL"] = "answer"
    // Emacs and aerc show no menus without one that they know.
    all["LANG"] = "C.UTF-8"
    return all
  }

  /// Copies files of `contrib/readers` to where the program looks for them.
  func take(_ source: String, to target: String, mode: UInt32 = 0o600) throws {
    let place = "\(home)/\(target)"
    let folder = String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
    try runSuccessfully(["mkdir", "-p", folder])
    try writeFile(place, readFile("\(Self.contrib)/readers/\(source)"), mode: mode)
  }

  func screen(_ command: String...) throws -> TerminalScreen {
    try TerminalScreen(command, environment: environment, columns: 110, rows: 40)
  }

  func shell(_ script: String, limit: Double = 120) throws -> Outcome {
    try run(["sh", "-c", script], environment: environment, directory: home, limit: limit)
  }

  func pull(location: SourceLocation = #_sourceLocation) throws {
    let outcome = try mirror.run(["pull"])
    #expect(outcome.status == 0, "\(outcome.summary)", sourceLocation: location)
  }

  /// Waits until a message of the tree carries these flags, in whatever folder.
  func expect(
    _ token: String, flags: String, in folder: String = "INBOX",
    location: SourceLocation = #_sourceLocation
  ) throws {
    let found = try eventually { try scenario.local(token)?.flags == flags }
    let message = try scenario.local(token)
    #expect(found, "\(message?.path ?? "gone")", sourceLocation: location)
    #expect(message?.folder == folder, sourceLocation: location)
  }

  /// Expects one queued message to these addresses, with the text that the editor wrote.
  func expectQueued(to addresses: Set<String>, location: SourceLocation = #_sourceLocation) throws {
    _ = try eventually { try outbox().count == 1 }
    let entries = try outbox()
    let entry = try #require(entries.first, sourceLocation: location)
    #expect(entries.count == 1, sourceLocation: location)
    #expect(entry["state"] as? String == "queued", sourceLocation: location)
    let recipients = entry["recipients"] as? [[String: Any]] ?? []
    #expect(
      Set(recipients.compactMap { $0["address"] as? String }) == addresses, sourceLocation: location
    )
    let id = try #require(entry["id"] as? String)
    let text = try mirror.run(["outbox", "show", "--raw", id]).outputText
    #expect(text.contains("This is my answer."), "\(text)", sourceLocation: location)
    #expect(text.contains("In-Reply-To: <") || text.contains("In-reply-to: <"), "\(text)")
    #expect(try mirror.tree()["Sent"].isEmpty, "the push files the copy", sourceLocation: location)
  }

  private func outbox() throws -> [[String: Any]] {
    let outcome = try mirror.run(["outbox", "--format", "json"])
    return try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [[String: Any]] ?? []
  }

  /// Pushes, and expects these flags on the server. (Whether the queue's mail leaves is no matter.)
  func expectPushed(
    _ token: String, _ flags: Set<String>, in mailbox: String = "INBOX",
    location: SourceLocation = #_sourceLocation
  ) throws {
    var outcome = try mirror.run(["push"])
    // A reader's own pull may be at work.
    for _ in 0..<60 where outcome.status == 75 {
      pause(0.5)
      outcome = try mirror.run(["push"])
    }
    #expect([0, 1, 69].contains(outcome.status), "\(outcome.summary)", sourceLocation: location)
    let bytes = Array("<\(token)@example.org>".utf8)
    let message = try scenario.client.messages(in: mailbox).first { $0.bytes.contains(bytes) }
    #expect(
      message?.flags.subtracting(["\\Recent"]) == flags, "\(outcome.summary)",
      sourceLocation: location)
  }

  /// Pushes, and expects that the server moved the message there by itself: one MOVE, and nothing sent or fetched.
  func expectPushedAsMove(
    _ token: String, _ flags: Set<String> = [], to mailbox: String,
    location: SourceLocation = #_sourceLocation
  ) throws {
    let proxy = scenario.proxy
    proxy.forget()
    try expectPushed(token, flags, in: mailbox, location: location)
    #expect(proxy.commands(named: ["MOVE"]).count == 1, sourceLocation: location)
    #expect(proxy.commands(named: ["APPEND", "COPY", "EXPUNGE"]) == [], sourceLocation: location)
    #expect(try scenario.places(token) == [mailbox], sourceLocation: location)
    proxy.forget()
    try pull(location: location)
    #expect(scenario.bodyFetches == [], sourceLocation: location)
    #expect(
      try mirror.tree().count(of: "<\(token)@example.org>") == 1, sourceLocation: location)
  }
}

/// Asks again and again until it holds; the machine may be slow.
func eventually(limit: Double = 180, _ condition: () throws -> Bool) rethrows -> Bool {
  let end = Date().addingTimeInterval(limit)
  while try !condition() {
    if Date() > end { return false }
    pause(0.2)
  }
  return true
}

extension TerminalScreen {
  /// Waits until the text stands somewhere on the screen.
  func wait(for text: String, limit: Double = 60) throws {
    let found = try eventually(limit: limit) { try self.text.contains(text) }
    guard found else { throw KitError("no “\(text)” on the screen:\n\(try self.text)") }
  }

  /// Waits until the text stands nowhere on the screen.
  func waitUntilGone(_ text: String, limit: Double = 60) throws {
    let gone = try eventually(limit: limit) { try !self.text.contains(text) }
    guard gone else { throw KitError("“\(text)” stays on the screen:\n\(try self.text)") }
  }

  func press(_ keys: [String]) throws {
    for key in keys { try press(key) }
  }
}

/// What the machine has to try.
enum Readers {
  static let hasScreen = Machine.hasDovecot && TerminalScreen.isPossible
  static let hasMu4e =
    findProgram("mu") != nil && findProgram("emacs") != nil
    && (try? run(["emacs", "--batch", "--eval", "(require 'mu4e)"]))?.status == 0

  @Suite struct Requirements {
    @Test(.enabled(if: ProcessInfo.processInfo.environment["MIRROR_TEST_REQUIRE"] != nil))
    func `the mail readers that are tried are there`() {
      for program in ["tmux", "neomutt", "aerc", "mshow", "notmuch", "mu", "rsync", "emacs"] {
        #expect(findProgram(program) != nil, "\(program)")
      }
      #expect(Readers.hasMu4e, "mu4e")
    }
  }
}
