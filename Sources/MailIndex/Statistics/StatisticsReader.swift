import GRDB

/// Gathers ``MailStatistics`` in a few passes over small tables and indexes: no text of a message is read.
package struct StatisticsReader {
  private let db: Database
  /// Numbers of the messages that count, ascending; nil: all.
  private let chosen: [Int64]?
  /// How many senders, lists and types are named.
  private let most: Int

  package init(_ db: Database, only chosen: [Int64]?, most: Int) {
    self.db = db
    self.chosen = chosen?.sorted()
    self.most = most
  }

  package func statistics() throws -> MailStatistics {
    var found = MailStatistics()
    try addMessages(&found)
    try addSenders(&found)
    found.lists = try lists()
    try addAttachments(&found)
    return found
  }

  private func addMessages(_ found: inout MailStatistics) throws {
    var filter = Filter(chosen)
    var calendar = LocalCalendar()
    var years: [Int: MailStatistics.Amount] = [:]
    var (oldest, newest) = (Int64.max, Int64.min)
    try RowStatement(db, "SELECT id, date, flags, size FROM message ORDER BY id DESC").forEachRow {
      guard filter.has(descending: $0.number(0)) else { return }
      let (date, size) = ($0.number(1), $0.number(3))
      found.all.add(size)
      if !IndexFlags(rawValue: $0.number(2)).contains(.seen) { found.unread += 1 }
      (oldest, newest) = (min(oldest, date), max(newest, date))
      let place = calendar.place(of: date)
      years[place.year, default: .init()].add(size)
      found.week[place.weekday][place.hour] += 1
      let kind = found.sizes.firstIndex { $0.below.map { size < $0 } ?? true }
      if let kind { found.sizes[kind].amount.add(size) }
    }
    guard found.all.count > 0 else { return }
    found.dates = oldest...newest
    if let first = years.keys.min(), let last = years.keys.max() {
      found.years = (first...last).map { .init(year: $0, amount: years[$0] ?? .init()) }
    }
  }

  private func addSenders(_ found: inout MailStatistics) throws {
    var filter = Filter(chosen)
    var messages: [Int64: Int] = [:]
    try RowStatement(
      db, "SELECT message, address FROM message_address WHERE role = 1 ORDER BY message"
    ).forEachRow {
      if filter.has(ascending: $0.number(0)) { messages[$0.number(1), default: 0] += 1 }
    }
    var domains: [String: Int] = [:]
    var senders = Best<MailStatistics.Source>(most)
    try RowStatement(db, "SELECT id, address, name, is_own FROM address").forEachRow { row in
      guard let count = messages[row.number(0)] else { return }
      if row.number(3) != 0 {
        found.own += count
        return
      }
      let address = row.bytes(1)
      if let at = address.lastIndex(of: UInt8(ascii: "@")) {
        let domain = String(
          decoding: address[(at + 1)...].map { $0 &- 65 < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
        if !domain.isEmpty { domains[domain, default: 0] += count }
      }
      if senders.wants(count) {
        senders.add(.init(name: row.text(1), person: row.text(2), messages: count), count)
      }
    }
    found.senders = senders.list { $0.name < $1.name }
    found.domains = best(domains)
  }

  private func lists() throws -> [MailStatistics.Source] {
    var messages: [String: Int] = [:]
    var last: (list: String, message: Int64) = ("", -1)
    try RowStatement(
      db,
      "SELECT list_id, message FROM file WHERE list_id IS NOT NULL ORDER BY list_id, message"
    ).forEachRow { row in
      // A copy in another folder is no further message.
      let place = (list: row.text(0), message: row.number(1))
      guard place != last, isChosen(place.message) else { return }
      last = place
      messages[place.list, default: 0] += 1
    }
    return best(messages)
  }

  private func addAttachments(_ found: inout MailStatistics) throws {
    var filter = Filter(chosen)
    var types: [String: MailStatistics.Amount] = [:]
    try RowStatement(db, "SELECT message, media_type, size FROM attachment ORDER BY message")
      .forEachRow {
        guard filter.has(ascending: $0.number(0)) else { return }
        found.attachments.add($0.number(2))
        types[$0.text(1), default: .init()].add($0.number(2))
      }
    var best = Best<MailStatistics.AttachmentType>(most)
    for (type, amount) in types {
      best.add(.init(mediaType: type, amount: amount), amount.count)
    }
    found.attachmentTypes = best.list { $0.mediaType < $1.mediaType }
  }

  private func best(_ counts: [String: Int]) -> [MailStatistics.Source] {
    var best = Best<MailStatistics.Source>(most)
    for (name, count) in counts { best.add(.init(name: name, messages: count), count) }
    return best.list { $0.name < $1.name }
  }

  private func isChosen(_ message: Int64) -> Bool {
    guard let chosen else { return true }
    var (low, high) = (0, chosen.count)
    while low < high {
      let middle = (low + high) / 2
      if chosen[middle] < message { low = middle + 1 } else { high = middle }
    }
    return low < chosen.count && chosen[low] == message
  }
}

extension MailStatistics.Amount {
  mutating func add(_ size: Int64) {
    count += 1
    bytes += size
  }
}

/// Tells, of numbers that come in order, which are among the chosen ones: one step each.
private struct Filter {
  private let chosen: [Int64]?
  private var low = 0
  private var high: Int

  init(_ chosen: [Int64]?) {
    self.chosen = chosen
    high = chosen?.count ?? 0
  }

  mutating func has(ascending number: Int64) -> Bool {
    guard let chosen else { return true }
    while low < chosen.count, chosen[low] < number { low += 1 }
    return low < chosen.count && chosen[low] == number
  }

  mutating func has(descending number: Int64) -> Bool {
    guard let chosen else { return true }
    while high > 0, chosen[high - 1] > number { high -= 1 }
    return high > 0 && chosen[high - 1] == number
  }
}

/// The few with the highest counts of many.
private struct Best<Item> {
  private let most: Int
  private var items: [(item: Item, count: Int)] = []
  /// Counts at or below it are not among the best.
  private var floor = 0

  init(_ most: Int) { self.most = most }

  func wants(_ count: Int) -> Bool { count > 0 && count >= floor }

  mutating func add(_ item: Item, _ count: Int) {
    guard wants(count) else { return }
    items.append((item, count))
    // Cut now and then, not each time.
    guard items.count >= 4 * most + 64 else { return }
    items.sort { $0.count > $1.count }
    let last = items[max(0, most - 1)].count
    items.removeAll { $0.count < last }
    floor = last
  }

  /// Those with most first; of equal ones those first that `precedes` names.
  func list(_ precedes: (Item, Item) -> Bool) -> [Item] {
    items.sorted { $0.count != $1.count ? $0.count > $1.count : precedes($0.item, $1.item) }
      .prefix(most).map(\.item)
  }
}
