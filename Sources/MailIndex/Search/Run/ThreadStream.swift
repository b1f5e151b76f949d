import GRDB

/// All messages of the threads in which one of the given messages lies: `thread:{…}`.
///
/// Threads span few days as a rule: the given messages are read no further down than the oldest
/// message of the threads that were asked for.
final class ThreadStream: NumberStream {
  /// Up to so many messages their threads are simply listed.
  static let few = 3000

  private let stream: NumberStream
  private let all: NumberStream
  private var matches: Set<Int64>
  /// Matches from here on are known.
  private var read: Int64
  private var isMeant: [Int64: Bool] = [:]  // by thread
  private let threads: ThreadLookup

  static func make(_ stream: NumberStream, _ db: Database, few: Int = few) throws
    -> NumberStream
  {
    let threads = try ThreadLookup(db)
    var numbers: [Int64] = []
    var bound = Int64.max
    while let number = try stream.next(atMost: bound) {
      numbers.append(number)
      bound = number - 1
      if numbers.count > few {
        return try ThreadStream(stream, db, threads, matches: numbers, read: number)
      }
    }
    return SortedNumbers(sorting: try listed(numbers, threads))
  }

  private static func listed(_ numbers: [Int64], _ threads: ThreadLookup) throws -> [Int64] {
    var seen = Set<Int64>()
    var found = Set<Int64>()
    for number in numbers {
      guard let thread = try threads.thread(of: number) else {
        found.insert(number)  // not threaded yet
        continue
      }
      if seen.insert(thread).inserted { found.formUnion(try threads.members(of: thread)) }
    }
    return Array(found)
  }

  private init(
    _ stream: NumberStream, _ db: Database, _ threads: ThreadLookup, matches: [Int64], read: Int64
  ) throws {
    self.stream = stream
    self.threads = threads
    self.matches = Set(matches)
    self.read = read
    all = try StatementStream(db, "SELECT id FROM message WHERE id <= ?1 ORDER BY id DESC")
  }

  /// With so many matches, the next thread that holds one is not far.
  override func find(atMost bound: Int64) throws -> Int64? {
    var bound = bound
    while let number = try all.next(atMost: bound) {
      if try isMatch(number) { return number }
      if let thread = try threads.thread(of: number), try isMeant(thread) { return number }
      bound = number - 1
    }
    return nil
  }

  private func isMeant(_ thread: Int64) throws -> Bool {
    if let known = isMeant[thread] { return known }
    let isMeant = try threads.members(of: thread).sorted(by: >).contains(where: isMatch)
    self.isMeant[thread] = isMeant
    return isMeant
  }

  private func isMatch(_ number: Int64) throws -> Bool {
    while read > number {
      read = try stream.next(atMost: read - 1) ?? .min
      if read != .min { matches.insert(read) }
    }
    return matches.contains(number)
  }
}

/// Which thread a message belongs to, and which messages to a thread.
struct ThreadLookup {
  private let threadOf: RowStatement
  private let membersOf: RowStatement

  init(_ db: Database) throws {
    threadOf = try RowStatement(db, "SELECT thread FROM message WHERE id = ?")
    membersOf = try RowStatement(db, "SELECT id FROM message WHERE thread = ?")
  }

  /// Nil where threads were not made yet.
  func thread(of message: Int64) throws -> Int64? {
    threadOf.bind(message, at: 1)
    return try threadOf.number()
  }

  func members(of thread: Int64) throws -> [Int64] {
    membersOf.bind(thread, at: 1)
    var members: [Int64] = []
    try membersOf.forEachRow { members.append($0.number(0)) }
    return members
  }
}
