import GRDB

/// Turns the order of numbers into that of dates, newest first, without waiting for the end.
///
/// A number is never below the minute of its message's date: so once the numbers have gone down to
/// a minute, all messages of later minutes are known.
struct DateOrder {
  struct Entry: Comparable {
    let date: Int64
    let number: Int64

    static func < (a: Entry, b: Entry) -> Bool { (a.date, a.number) < (b.date, b.number) }
  }

  private let numbers: NumberStream
  private let dates: RowStatement
  private var waiting = EntryHeap()
  private var bound = Int64.max

  init(_ numbers: NumberStream, _ db: Database) throws {
    self.numbers = numbers
    dates = try RowStatement(db, "SELECT date FROM message WHERE id = ?")
  }

  mutating func next() throws -> Entry? {
    while !isKnown {
      guard let number = try numbers.next(atMost: bound) else {
        bound = .min
        break
      }
      bound = number - 1
      // Gone meanwhile: numbers come from several tables, but all of one state of the index.
      dates.bind(number, at: 1)
      guard let date = try dates.number() else { continue }
      waiting.insert(Entry(date: date, number: number))
    }
    return waiting.removeNewest()
  }

  /// Whether no later message can follow the newest that waits.
  private var isKnown: Bool {
    if bound == .min { return true }
    guard let newest = waiting.newest else { return false }
    return MessageMinutes.minute(of: newest.date) > bound
  }
}

/// Entries of which the newest is at hand: a binary heap.
private struct EntryHeap {
  private var entries: [DateOrder.Entry] = []

  var newest: DateOrder.Entry? { entries.first }

  mutating func insert(_ entry: DateOrder.Entry) {
    entries.append(entry)
    var place = entries.count - 1
    while place > 0, entries[(place - 1) / 2] < entries[place] {
      entries.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  mutating func removeNewest() -> DateOrder.Entry? {
    guard let newest = entries.first, let last = entries.popLast() else { return nil }
    if entries.isEmpty { return newest }
    entries[0] = last
    var place = 0
    while true {
      var child = 2 * place + 1
      if child >= entries.count { return newest }
      if child + 1 < entries.count, entries[child] < entries[child + 1] { child += 1 }
      if entries[child] < entries[place] { return newest }
      entries.swapAt(place, child)
      place = child
    }
  }
}
