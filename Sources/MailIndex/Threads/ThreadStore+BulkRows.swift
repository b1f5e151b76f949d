import GRDB
import MIME

/// The `thread` table in one pass over the messages. Threads of one message are written as they come
/// by, others when their last message has.
extension ThreadStore {
  static func writeThreads(_ links: consuming ThreadLinks, _ db: Database) throws {
    let insert = try RowStatement(
      db,
      """
      INSERT INTO thread(id, account, latest, count, unread, subject, snippet)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """)
    try forEachThread(consume links, db) { thread in
      insert.bind([
        thread.id, thread.account, thread.latest, Int64(thread.count), Int64(thread.unread),
      ])
      insert.bind(thread.subject, at: 6)
      insert.bind(thread.snippet, at: 7)
      try insert.run()
    }
  }

  /// Every thread as its row should be.
  static func forEachThread(
    _ links: consuming ThreadLinks, _ db: Database, _ body: (ThreadOutline) throws -> Void
  ) throws {
    let places = links.places
    var outlines = ThreadOutlines(copy links)
    let links = (consume links).withoutParents()
    var place = 0
    try RowStatement(
      db,
      """
      SELECT id, account, flags & 1, subject, snippet
      FROM message ORDER BY id
      """
    ).forEachRow { row in
      let id = row.number(0)
      while place < places.count, places.ids[place] < id { place += 1 }
      guard place < places.count, places.ids[place] == id else { return }
      if var whole = outlines.add(
        date: places.date(of: place), isUnread: row.number(2) == 0, at: place,
        subject: { BaseSubject.withoutPrefixes(row.text(3)) }, snippet: { row.text(4) })
      {
        whole.id = links.threadID(place)
        whole.account = row.number(1)
        try body(whole)
      }
    }
  }
}

/// A thread as it comes together.
struct ThreadOutline {
  var id: Int64 = 0
  var account: Int64 = 0
  var count = 0
  var unread = 0
  var subject = ""
  var snippet = ""
  var latest: Int64 = 0
}

/// Threads whose messages are still coming by.
private struct ThreadOutlines {
  private let thread: [Int32]
  /// By the place of a thread's first message: how many there are, which is its root, which latest.
  private var counts: [Int32]
  private var roots: [Int32]
  private var latest: [Int32]
  private var open: [Int32: ThreadOutline] = [:]

  init(_ links: ThreadLinks) {
    let places = links.places
    thread = links.thread
    counts = Array(repeating: 0, count: places.count)
    roots = Array(repeating: -1, count: places.count)
    latest = Array(repeating: -1, count: places.count)
    for place in 0..<places.count {
      let thread = Int(links.thread[place])
      counts[thread] += 1
      if latest[thread] < 0 || places.precedes(Int(latest[thread]), place) {
        latest[thread] = Int32(place)
      }
      if links.parent[place] < 0,
        roots[thread] < 0 || places.precedes(place, Int(roots[thread]))
      {
        roots[thread] = Int32(place)
      }
    }
  }

  /// Returns the thread when this was its last message.
  mutating func add(
    date: Int64, isUnread: Bool, at place: Int, subject: () -> String, snippet: () -> String
  ) -> ThreadOutline? {
    let thread = thread[place]
    var outline = open.removeValue(forKey: thread) ?? ThreadOutline()
    outline.count += 1
    if isUnread { outline.unread += 1 }
    if roots[Int(thread)] == place { outline.subject = subject() }
    if latest[Int(thread)] == place {
      outline.snippet = snippet()
      outline.latest = date
    }
    if outline.count == counts[Int(thread)] { return outline }
    open[thread] = outline
    return nil
  }
}
