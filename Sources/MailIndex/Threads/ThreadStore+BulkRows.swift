import GRDB

/// The `thread` table in one pass over the messages. Threads of one message are written as they come
/// by, others when their last message has.
extension ThreadStore {
  static func writeThreads(_ links: consuming ThreadLinks, _ db: Database) throws {
    let insert = try RowStatement(
      db,
      """
      INSERT INTO thread(id, account, latest, count, unread, root, last, subject)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """)
    try forEachThread(consume links, db) { thread in
      insert.bind([
        thread.id, thread.account, thread.latest, Int64(thread.count), Int64(thread.unread),
        thread.root, thread.last,
      ])
      insert.bind(thread.subject, at: 8)
      try insert.run()
    }
  }

  /// Every thread as its row should be.
  static func forEachThread(
    _ links: consuming ThreadLinks, _ db: Database, _ body: (ThreadOutline) throws -> Void
  ) throws {
    let places = links.places
    var outlines = ThreadOutlines(consume links)
    var place = 0
    try RowStatement(
      db,
      """
      SELECT id, account, flags & 1, subject
      FROM message ORDER BY id
      """
    ).forEachRow { row in
      let id = row.number(0)
      while place < places.count, places.ids[place] < id { place += 1 }
      guard place < places.count, places.ids[place] == id else { return }
      if var whole = outlines.add(
        id, date: places.date(of: place), isUnread: row.number(2) == 0, at: place,
        subject: { ThreadRow.subject(root: row.text(3)) })
      {
        whole.id = places.ids[outlines.firstPlace(ofThreadAt: place)]
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
  var root: Int64 = 0
  var last: Int64 = 0
  var subject: String?
  var latest: Int64 = 0
}

/// Threads whose messages are still coming by. Most messages are alone in theirs: only the others' threads are numbered,
/// and cost more than four bytes a message.
private struct ThreadOutlines {
  /// By the place of a message, the number of its thread; ``isAlone`` where it is a thread of one message.
  private var number: [Int32]
  /// By number: how many messages there are, which is first by number, which the root, which the latest.
  private var counts: [Int32] = []
  private var firsts: [Int32] = []
  private var roots: [Int32]
  private var latest: [Int32]
  private var open: [Int32: ThreadOutline] = [:]

  private static let isAlone: Int32 = -1

  init(_ links: consuming ThreadLinks) {
    links.source = []
    let (places, parent) = (links.places, links.parent)
    number = links.thread
    links.thread = []
    // How many messages a thread has, by its first one's place; then the thread's number.
    var threads = [Int32](repeating: 0, count: number.count)
    for first in number { threads[Int(first)] += 1 }
    for first in threads.indices where threads[first] > 0 {
      guard threads[first] > 1 else {
        threads[first] = Self.isAlone
        continue
      }
      counts.append(threads[first])
      firsts.append(Int32(first))
      threads[first] = Int32(counts.count - 1)
    }
    roots = Array(repeating: -1, count: counts.count)
    latest = roots
    for place in number.indices {
      number[place] = threads[Int(number[place])]
      guard number[place] != Self.isAlone else { continue }
      let thread = Int(number[place])
      if latest[thread] < 0 || places.precedes(Int(latest[thread]), place) {
        latest[thread] = Int32(place)
      }
      if parent[place] < 0, roots[thread] < 0 || places.precedes(place, Int(roots[thread])) {
        roots[thread] = Int32(place)
      }
    }
  }

  func firstPlace(ofThreadAt place: Int) -> Int {
    number[place] == Self.isAlone ? place : Int(firsts[Int(number[place])])
  }

  /// Returns the thread when this was its last message.
  mutating func add(
    _ message: Int64, date: Int64, isUnread: Bool, at place: Int, subject: () -> String?
  ) -> ThreadOutline? {
    let number = number[place]
    let isAlone = number == Self.isAlone
    var outline = open.removeValue(forKey: number) ?? ThreadOutline()
    outline.count += 1
    if isUnread { outline.unread += 1 }
    if isAlone || roots[Int(number)] == place {
      outline.root = message
      outline.subject = subject()
    }
    if isAlone || latest[Int(number)] == place {
      outline.last = message
      outline.latest = date
    }
    if isAlone || outline.count == counts[Int(number)] { return outline }
    open[number] = outline
    return nil
  }
}
