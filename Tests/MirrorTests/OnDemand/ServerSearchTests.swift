import Foundation
import MailTestKit
import Testing

/// A search that asks the server, too, on a tree that a window keeps small.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct ServerSearchTests {
  private let now = Int64(Date().timeIntervalSince1970)

  private func message(_ token: String, age days: Int64, subject: String, flags: [String] = [])
    -> SampleMessage
  {
    let date = now - days * 86_400
    let text = """
      From: Alice <alice@example.org>
      To: bob@example.org
      Subject: \(subject)
      Date: \(Date(timeIntervalSince1970: Double(date)).formatted(Self.mailDate))
      Message-ID: <\(token)@example.org>
      MIME-Version: 1.0
      Content-Type: text/plain; charset=utf-8
      Content-Transfer-Encoding: 8bit

      Grüße, \(token)

      """
    return SampleMessage(
      bytes: Array(text.replacingOccurrences(of: "\n", with: "\r\n").utf8), date: date, flags: flags
    )
  }

  private static let mailDate = Date.VerbatimFormatStyle(
    format: """
      \(weekday: .abbreviated), \(day: .defaultDigits) \(month: .abbreviated) \
      \(year: .defaultDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\
      \(minute: .twoDigits):\(second: .twoDigits) +0000
      """, locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt,
    calendar: .init(identifier: .gregorian))

  private func scenario() throws -> Scenario {
    let scenario = try Scenario(sync: "window = \"30d\"")
    try scenario.client.create("Arch")
    try scenario.client.append([
      message("young", age: 2, subject: "The budget"),
      message("old", age: 100, subject: "An older budget", flags: ["\\Seen"]),
      message("other", age: 120, subject: "Nothing of it"),
    ])
    try scenario.client.append(
      [message("filed", age: 200, subject: "Budget of last year")], to: "Arch")
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    return scenario
  }

  @Test(arguments: [true, false])
  func `what was fetched from beyond the window, and deleted here, is brought back`(
    isReachable: Bool
  ) throws {
    let scenario = try scenario()
    #expect(try scenario.mirror.run(["pull", "--since", "2000-01-01"]).status == 0)
    let before = try scenario.mirror.tree().messages.map(\.raw)
    let reader = Reader(scenario.mirror)
    try reader.remove(#require(try scenario.local("<old@")))
    try reader.remove(#require(try scenario.local("<filed@")))
    let other = try #require(try scenario.local("<other@"))
    try reader.rewrite(other, other.raw + Array("mine\n".utf8))
    scenario.proxy.forget()
    scenario.proxy.conditions.refuses = !isReachable
    let outcome = try scenario.mirror.run(["revert"])
    #expect(outcome.status == (isReachable ? 0 : 69), "\(outcome.summary)")
    scenario.proxy.conditions.refuses = false
    #expect(try scenario.mirror.run(["push"]).status == 0)
    #expect(scenario.proxy.changingCommands == [], "nothing of it was a deletion")
    for _ in 0..<2 {
      #expect(try scenario.mirror.run(["pull"]).status == 0)
      let after = try scenario.mirror.tree().messages.map(\.raw)
      #expect(Set(after) == Set(before) && after.count == before.count)
    }
  }

  private func found(_ scenario: Scenario, _ query: String...) throws -> [(String, Bool)] {
    let outcome = try scenario.mirror.run(
      ["search", "--server", "--format", "json"] + query)
    #expect(outcome.status == 0, "\(outcome.summary)")
    let rows = try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [[String: Any]]
    return (rows ?? []).map { row in
      let isHere = row["here"] as? Bool ?? false
      let paths = row["paths"] as? [String] ?? []
      #expect(paths.isEmpty != isHere && row["id"] is NSNull != isHere)
      let id = row["message_id"] as? String ?? ""
      return (String(id.prefix { $0 != "@" }), isHere)
    }
  }

  private func ids(_ scenario: Scenario, _ query: String...) throws -> [String] {
    let outcome = try scenario.mirror.run(["search", "--server", "--format", "jsonl"] + query)
    #expect(outcome.status == 0, "\(outcome.summary)")
    return try outcome.outputText.split(separator: "\n").map { line in
      let row = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return String((row?["message_id"] as? String ?? "").prefix { $0 != "@" })
    }
  }

  @Test func `what is not here is listed below what is, and nothing is fetched`() throws {
    let scenario = try scenario()
    let before = TreeSnapshot(scenario.mirror.account, leavingOut: Scenario.isBookkeeping)
    scenario.proxy.forget()
    let budget = try found(scenario, "subject:budget")
    #expect(budget.map(\.0) == ["young", "old", "filed"])
    #expect(budget.map(\.1) == [true, false, false])
    #expect(
      before.changes(
        to: TreeSnapshot(scenario.mirror.account, leavingOut: Scenario.isBookkeeping)) == [])
    #expect(scenario.proxy.changingCommands == [] && scenario.bodyFetches == [])
    let text = try scenario.mirror.run(["search", "--server", "subject:older"]).outputText
    #expect(text.hasPrefix("(server)  ") && text.contains("Alice"), "\(text)")
  }

  @Test func `queries mean on the server what they mean here`() throws {
    let scenario = try scenario()
    #expect(try ids(scenario, "grüße", "folder:Arch") == ["filed"])
    #expect(try ids(scenario, "Grüße", "not", "subject:budget") == ["other"])
    #expect(try ids(scenario, "is:read", "budget") == ["old"])
    #expect(try ids(scenario, "id:filed@example.org") == ["filed"])
    #expect(try ids(scenario, "from:alice", "date:150d..90d") == ["old", "other"])
    #expect(try ids(scenario, "from:nobody") == [])
    #expect(try ids(scenario, "account:elsewhere", "budget") == [])
    #expect(try ids(scenario, "subject:older", "or", "subject:last").sorted() == ["filed", "old"])
  }

  @Test func `a word is no piece of another, in headers, wanted or not`() throws {
    let scenario = try scenario()
    try scenario.client.append([
      message("party", age: 60, subject: "Party, pre paid"),
      message("art", age: 61, subject: "Art"),
    ])
    #expect(try ids(scenario, "subject:art", "date:90d..31d") == ["art"])
    #expect(try ids(scenario, "not", "subject:art", "date:90d..31d") == ["party"])
    #expect(try ids(scenario, "subject:pre-paid") == ["party"])
    let phrase = try ids(scenario, "\"paid pre\"", "date:90d..31d")
    #expect(phrase == ["party"], "its body may have it")
    #expect(try ids(scenario, "subject:\"paid pre\"") == [])
  }

  @Test func `more than is listed is told, and no limit lists and fetches all`() throws {
    let scenario = try scenario()
    try scenario.client.append((1...5).map { message("m\($0)", age: 60, subject: "Many \($0)") })
    let some = try scenario.mirror.run(["search", "--server", "--limit", "2", "subject:many"])
    #expect(some.errorText.contains("3 more: --limit 0 lists all of them"), "\(some.summary)")
    let all = try scenario.mirror.run(["search", "--server", "--limit", "0", "subject:many"])
    #expect(!all.errorText.contains("more"), "\(all.summary)")
    #expect(all.outputText.split(separator: "\n").count == 5, "\(all.summary)")
    let fetched = try scenario.mirror.run(
      ["search", "--server", "--fetch", "--limit", "0", "subject:many"])
    #expect(fetched.status == 0, "\(fetched.summary)")
    #expect(try scenario.mirror.tree().count(of: "Many") == 5)
  }

  @Test func `what is fetched stays`() throws {
    let scenario = try scenario()
    let outcome = try scenario.mirror.run(
      ["search", "--server", "--fetch", "--format", "json", "subject:budget", "folder:INBOX"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(outcome.outputText.contains("old@example.org"))
    #expect(!outcome.outputText.contains("\"here\""))
    #expect(try scenario.local("<old@") != nil && scenario.local("<filed@") == nil)
    #expect(try scenario.local("<other@") == nil)
    try scenario.expectQuiet()
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    #expect(try scenario.local("<old@") != nil, "a later pull leaves it")
    #expect(try found(scenario, "subject:budget").map(\.1) == [true, true, false])
    // Nothing here is taken for a change.
    let pushed = try scenario.mirror.run(["push", "--dry-run", "--format", "json"])
    #expect(!pushed.outputText.contains("\"uploads\": 1"), "\(pushed.summary)")
  }

  @Test(arguments: [true, false])
  func `what is fetched is deleted by a reader as any other`(marksFirst: Bool) throws {
    let scenario = try scenario()
    #expect(try scenario.mirror.run(["pull", "--since", "2000-01-01", "--no-index"]).status == 0)
    let reader = Reader(scenario.mirror)
    if marksFirst {
      try reader.setFlags(#require(try scenario.local("<old@")), "ST")
      #expect(try scenario.mirror.run(["push"]).status == 0)
    }
    try reader.remove(#require(try scenario.local("<old@")))
    let pushed = try scenario.mirror.run(["push"])
    #expect(pushed.outputText.contains("1 deleted"), "\(pushed.summary)")
    #expect(try scenario.client.messages(in: "INBOX").count == 2)
    try scenario.pull()
    #expect(try scenario.local("<old@", in: "INBOX") == nil)
  }

  @Test func `what is fetched stays when another client moves it, and so does a copy`() throws {
    let scenario = try scenario()
    #expect(try scenario.mirror.run(["pull", "--since", "2000-01-01", "--no-index"]).status == 0)
    let other = try #require(try scenario.local("<other@"))
    try runSuccessfully([
      "cp", scenario.mirror.account + "/" + other.path,
      scenario.mirror.account + "/Arch/cur/copy:2,S",
    ])
    #expect(try scenario.mirror.run(["push"]).status == 0)
    try scenario.client.move(
      [scenario.client.uid(of: "old", in: "INBOX")], from: "INBOX", to: "Arch")
    try scenario.pull()
    #expect(try scenario.local("<old@", in: "Arch") != nil, "it follows")
    #expect(try scenario.local("<old@", in: "INBOX") == nil)
    #expect(try scenario.local("<other@", in: "Arch") != nil, "the copy stays")
    try scenario.expectQuiet()
  }

  @Test func `names of attachments are asked of the server as attachments are`() throws {
    let scenario = try scenario()
    try scenario.client.append([
      OnDemandMail.mixed("files", octets: 500, date: now - 100 * 86_400)
    ])
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    #expect(try ids(scenario, "attachment:report") == ["files"])
  }

  @Test(.enabled(if: TerminalScreen.isPossible))
  func `a search that finds little says what lies on the server only`() throws {
    let scenario = try scenario()
    let words = "lies on the server only"
    func screen(_ query: String...) throws -> String {
      let screen = try TerminalScreen(
        scenario.mirror.command(["search"] + query), environment: scenario.mirror.environment,
        columns: 120)
      #expect(try screen.status() == 0)
      return try screen.text
    }
    let little = try screen("budget")
    #expect(little.contains(words) && little.contains("--server"), "\(little)")
    let young = try screen("budget", "date:3d..")
    #expect(young.contains("The budget") && !young.contains(words), "\(young)")
    let piped = try scenario.mirror.run(["search", "budget"])
    #expect(!piped.errorText.contains(words), "only a person needs it")
    try scenario.mirror.configure { $0.sync = "" }
    #expect(try !screen("budget").contains(words))
  }

  @Test func `without a server what is here is listed all the same`() throws {
    let scenario = try scenario()
    scenario.proxy.stop()
    let outcome = try scenario.mirror.run(["search", "--server", "budget"])
    #expect(outcome.status == 69 && outcome.outputText.contains("The budget"), "\(outcome.summary)")
  }

  @Test func `what a server cannot be asked is told before it is asked`() throws {
    let scenario = try scenario()
    scenario.proxy.forget()
    let outcome = try scenario.mirror.run(["search", "--server", "budget", "mimetype:text/plain"])
    #expect(outcome.status == 64 && outcome.errorText.contains("--server"), "\(outcome.summary)")
    for words in [
      ["--fetch", "x"], ["--server", "--count", "x"], ["--server", "--format", "ids", "x"],
    ] {
      #expect(try scenario.mirror.run(["search"] + words).status == 64, "\(words)")
    }
    #expect(scenario.proxy.commands(named: ["LOGIN", "AUTHENTICATE"]) == [])
  }
}
