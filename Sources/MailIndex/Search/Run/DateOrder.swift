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
  private var waiting = Heap<Entry>()
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
    return waiting.removeGreatest()
  }

  /// Whether no later message can follow the newest that waits.
  private var isKnown: Bool {
    if bound == .min { return true }
    guard let newest = waiting.greatest else { return false }
    return MessageMinutes.minute(of: newest.date) > bound
  }
}
