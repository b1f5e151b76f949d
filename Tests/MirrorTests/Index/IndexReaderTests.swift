import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Readers of the index: the plain `sqlite3` program, and ours while an update runs.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasIndexProgram)) struct IndexReaderTests {
  static let views: [String: [String]] = [
    "messages": [
      "id", "account", "message_id", "thread_id", "parent_id", "parent_source", "date", "subject",
    ],
    "files": ["message", "account", "mailbox", "path", "flags"],
    "threads": [
      "id", "account", "subject", "latest_date", "message_count", "unread_count", "participants",
      "snippet",
    ],
    "attachments": [
      "message", "section", "file_name", "media_type", "size", "disposition", "content_id",
      "warning", "hash",
    ],
    "warnings": ["message", "kind", "detail"],
    "accounts": ["id", "name", "path", "message_count", "unread_count"],
    "mailboxes": ["account", "name", "total", "unread", "role"],
    "message_addresses": ["message", "role", "name", "address"],
    "keywords": ["message", "keyword"],
    "addresses": ["address", "name", "rank"],
    "send_queue": ["account", "message_id", "state", "attempts", "recipients"],
  ]

  private func indexed() throws -> IndexProgram {
    let index = try IndexProgram()
    var generator = MailGenerator(seed: 7, profile: .office, count: 40)
    try index.fill(generator.messages(40))
    try index.deliver(
      SampleMessage(
        bytes: crlf(
          """
          From: a@x.example
          Subject: told
          Message-ID: <told@x>
          Content-Type: text/html

          <p>Words</p><a href="http://evil.example/">www.bank.com</a>

          """)), name: "told")
    try index.deliver(
      SampleMessage(
        bytes: crlf("X-Keywords: topic\nSubject: labelled\nMessage-ID: <l@x>\n\nunheardword\n")),
      name: "labelled")
    let queued = try QueueingProgram(index).sendmail("queued@x")
    try #require(queued.status == 0, "\(queued.summary)")
    try index.runSuccessfully("update")
    return index
  }

  @Test func `the plain sqlite3 program reads every view and the text`() throws {
    let index = try indexed()
    for (view, columns) in Self.views {
      let rows = try index.sql("SELECT \(columns.joined(separator: ", ")) FROM \(view)")
      #expect(!rows.isEmpty, "\(view)")
    }
    let recipients = "json_extract(recipients, '$[0].address')"
    #expect(
      try index.sql("SELECT account, message_id, state, \(recipients) FROM send_queue")
        == [["personal", "queued@x", "queued", "bob@example.org"]])
    let found = try index.sql(
      """
      SELECT m.message_id, bm25(message_text) < 0 FROM message_text JOIN messages AS m
        ON m.id = message_text.rowid WHERE message_text MATCH 'unheardword' ORDER BY rank
      """)
    #expect(found == [["l@x", "1"]])
    #expect(try index.sql("PRAGMA journal_mode") == [["wal"]])
    #expect(try index.sql("PRAGMA user_version")[0][0] != "0")
    // Nothing that needs a function or a tokenizer of ours.
    let schema = try index.sql("SELECT sql FROM sqlite_schema WHERE type = 'trigger'")
    #expect(schema == [])
  }

  struct Load: CustomStringConvertible {
    var verb: String
    /// Messages at first, and new ones before each run.
    var messages = 400
    var new = 10
    var runs = Machine.long ? 60 : 8
    var description: String { "\(verb) of \(messages), \(new) new" }

    static let all = [Load(verb: "update"), Load(verb: "rebuild")] + (Machine.long ? large : [])
    private static let large = ["update", "rebuild"].map {
      Load(verb: $0, messages: 5_000, new: 800, runs: 6)
    }
  }

  /// A reader that would wait longer than 50 ms for a lock fails instead. And no answer takes 50 ms longer than those of
  /// readers where nobody writes at the same moment, which tell what the machine has to do beside.
  @Test(arguments: Load.all)
  func `readers go on without an error or a wait while the index changes`(load: Load) throws {
    let tree = try BusyTree(seed: 5, count: load.messages)
    let index = tree.index
    try index.runSuccessfully("update")
    let undisturbed = index.home + "/undisturbed.db"
    _ = try index.sql("VACUUM INTO '\(undisturbed)'")
    let readers = try Loops(
      [index.database, index.database, undisturbed, undisturbed].map {
        ["python3", "-c", Self.reader, $0]
      })
    let opener = try Loops([["sh", "-c", Self.opener, "opener", index.database]])
    for _ in 0..<load.runs {
      try tree.deliver(load.new)
      try tree.work(10)
      let update = try index.start(load.verb)
      for _ in 0..<3 {
        let search = try index.run("search", "--limit", "5", "--", "text or is:unread")
        #expect(search.status == 0, "\(search.summary)")
      }
      let outcome = try update.wait()
      #expect(outcome.status == 0, "\(outcome.summary)")
    }
    let all = try readers.end(SIGINT).map(answers)
    print("readers during \(load):", all.map(Self.longest))
    for disturbed in all.prefix(2) {
      let late = disturbed.filter { answer in
        guard answer.seconds > 0.05 else { return false }
        let beside = all.suffix(2).joined().filter(answer.overlaps)
        return answer.seconds - (beside.map(\.seconds).max() ?? 0) > 0.05
      }
      // Where it shares two processors with all other tests, a machine may be late by itself; what an update does to
      // readers, it does in each of its runs.
      #expect(late.count <= (Machine.long ? 0 : 2), "\(late)")
    }
    for opened in try opener.end(SIGTERM) {
      #expect(opened.errorText == "", "\(opened.summary)")
    }
  }

  /// Programs that go on until they are told to end, with their owner at the latest.
  private final class Loops {
    private var running: [Child] = []

    init(_ commands: [[String]]) throws {
      for command in commands { running.append(try Child(command)) }
    }

    deinit { for child in running { child.signal(SIGKILL) } }

    func end(_ signal: Int32) throws -> [Outcome] {
      let children = running
      running = []
      for child in children { child.signal(signal) }
      return try children.map { try $0.wait() }
    }
  }

  /// One answer that a reader got.
  private struct Answer {
    /// By the clock that all programs share.
    let begun: Double
    let ended: Double
    /// It took so long, but for the time in which the reader could have gone on and others had the processors.
    let seconds: Double

    func overlaps(_ other: Answer) -> Bool { begun < other.ended && other.begun < ended }
  }

  private func answers(_ outcome: Outcome) throws -> [Answer] {
    #expect(outcome.status == 0, "\(outcome.ending) \(outcome.errorText)")
    let answers = outcome.outputText.split(separator: "\n").compactMap { line -> Answer? in
      let figures = line.split(separator: " ").compactMap { Double($0) }
      return figures.count == 3
        ? Answer(begun: figures[0], ended: figures[1], seconds: figures[2]) : nil
    }
    #expect(answers.count > 20)
    return answers
  }

  private static func longest(_ answers: [Answer]) -> String {
    let longest = answers.map(\.seconds).max() ?? 0
    return "\(answers.count) answers, the longest \(Int(longest * 1000)) ms"
  }

  /// Reads until it is interrupted, over one connection; prints when each answer began and ended, and the seconds it
  /// took of the reader's own time.
  private static let reader = """
    import signal, sqlite3, sys, time
    going = True
    def stop(*_):
        global going
        going = False
    signal.signal(signal.SIGINT, stop)
    def own():
        try:
            with open("/proc/self/schedstat") as file:
                return time.monotonic() - int(file.read().split()[1]) / 1e9
        except OSError:
            return time.monotonic()
    c = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True, timeout=0.05, isolation_level=None)
    answers = []
    while going:
        begun, at = time.monotonic(), own()
        c.execute("SELECT count(*) FROM (SELECT * FROM messages ORDER BY id DESC LIMIT 50)").fetchall()
        c.execute("SELECT * FROM threads ORDER BY latest_date DESC LIMIT 20").fetchall()
        c.execute("SELECT m.id, m.subject FROM message_text t JOIN messages m ON m.id = t.rowid "
                  "WHERE message_text MATCH 'text' ORDER BY t.rowid DESC LIMIT 50").fetchall()
        answers.append((begun, time.monotonic(), own() - at))
    for answer in answers:
        print(*answer)
    """

  /// Opens and closes the database again and again, as scripts do.
  private static let opener = """
    while :; do
      sqlite3 -readonly -cmd '.timeout 50' "$1" 'SELECT count(*) FROM messages' >/dev/null || exit 1
      sleep 0.02
    done
    """

  /// What nobody can do without who opens, uses or asks about a connection.
  private static let networkCalls = [
    "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "shutdown",
    "send", "sendto", "sendmsg", "recv", "recvfrom", "recvmsg", "setsockopt", "getsockopt",
    "getsockname", "getpeername", "getnameinfo", "getaddrinfo", "gethostbyname", "getifaddrs",
  ]

  @Test func `the indexer links no network code`() throws {
    let binary = try #require(IndexProgram.binary)
    if let ldd = findProgram("ldd") {
      let libraries = try runSuccessfully([ldd, binary]).outputText
      for name in ["libssl", "libcrypto", "libcurl", "FoundationNetworking", "libz."] {
        #expect(!libraries.contains(name), "\(name) in \(libraries)")
      }
    }
    let nm = try #require(findProgram("nm") ?? findProgram("llvm-nm"))
    let symbols = try runSuccessfully([nm, binary]).outputText.split(separator: "\n")
    for module in ["9Transport", "10IMAPClient", "8IMAPWire", "10SMTPClient", "8SMTPWire", "4Sync"]
    {
      #expect(!symbols.contains { $0.contains("$s\(module)") }, "\(module)")
    }
    let undefined = symbols.filter { $0.contains(" U ") }
      .compactMap { $0.split(separator: " ").last?.split(separator: "@").first.map(String.init) }
    #expect(undefined.contains("open") || undefined.contains("open64") || undefined.count > 50)
    for call in Self.networkCalls { #expect(!undefined.contains(call), "\(call)") }
  }
}
