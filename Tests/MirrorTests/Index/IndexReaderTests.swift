import MailTestKit
import Testing

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
      "warning",
    ],
    "mailboxes": ["account", "name", "total", "unread"],
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
        bytes: crlf("X-Keywords: topic\nSubject: labelled\nMessage-ID: <l@x>\n\nunheardword\n")),
      name: "labelled")
    try index.runSuccessfully("update")
    return index
  }

  @Test func `the plain sqlite3 program reads every view and the text`() throws {
    let index = try indexed()
    for (view, columns) in Self.views {
      let rows = try index.sql("SELECT \(columns.joined(separator: ", ")) FROM \(view)")
      #expect(view == "send_queue" || !rows.isEmpty, "\(view)")
    }
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

  /// A reader that would wait longer than 50 ms for a lock fails instead.
  @Test(arguments: ["update", "rebuild"])
  func `readers go on without an error while the index changes`(verb: String) throws {
    let tree = try BusyTree(seed: 5, count: 400)
    let index = tree.index
    try index.runSuccessfully("update")
    let readers = try (0..<2).map { _ in try Child(["python3", "-c", Self.reader, index.database]) }
    let opener = try Child(["sh", "-c", Self.opener, "opener", index.database])
    for _ in 0..<(Machine.long ? 60 : 8) {
      try tree.work(20)
      let update = try index.start(verb)
      for _ in 0..<3 {
        let search = try index.run("search", "--limit", "5", "--", "text or is:unread")
        #expect(search.status == 0, "\(search.summary)")
      }
      let outcome = try update.wait()
      #expect(outcome.status == 0, "\(outcome.summary)")
    }
    for reader in readers {
      reader.signal(2)
      let outcome = try reader.wait()
      #expect(outcome.status == 0, "\(outcome.summary)")
      #expect((Int(outcome.outputText.split(separator: " ").first ?? "") ?? 0) > 20)
    }
    opener.signal(15)
    let opened = try opener.wait()
    #expect(opened.errorText == "", "\(opened.summary)")
  }

  /// Reads until it is interrupted, over one connection; prints how often, and the longest wait.
  private static let reader = """
    import signal, sqlite3, sys, time
    going = True
    def stop(*_):
        global going
        going = False
    signal.signal(signal.SIGINT, stop)
    c = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True, timeout=0.05, isolation_level=None)
    count, longest = 0, 0
    while going:
        begun = time.perf_counter()
        c.execute("SELECT count(*) FROM (SELECT * FROM messages ORDER BY id DESC LIMIT 50)").fetchall()
        c.execute("SELECT * FROM threads ORDER BY latest_date DESC LIMIT 20").fetchall()
        c.execute("SELECT m.id, m.subject FROM message_text t JOIN messages m ON m.id = t.rowid "
                  "WHERE message_text MATCH 'text' ORDER BY t.rowid DESC LIMIT 50").fetchall()
        longest = max(longest, time.perf_counter() - begun)
        count += 1
    print(count, longest)
    """

  /// Opens and closes the database again and again, as scripts do.
  private static let opener = """
    while :; do
      sqlite3 -readonly -cmd '.timeout 50' "$1" 'SELECT count(*) FROM messages' >/dev/null || exit 1
      sleep 0.02
    done
    """

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
    for call in [
      "socket", "connect", "getaddrinfo", "gethostbyname", "bind", "listen", "sendto", "recvfrom",
    ] {
      #expect(!undefined.contains(call), "\(call)")
    }
  }
}
