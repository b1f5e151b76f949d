import Testing

@testable import MailIndex

/// Random queries over random messages give what a plain reading of the query gives.
@Suite struct RandomSearchTests {
  private static let words = ["red", "green", "blue", "yellow", "pink"]

  private static func messages(_ random: inout SplitMix) -> [TestMessage] {
    var used = Set<Int64>()
    return (0..<Int.random(in: 0...60, using: &random)).map { _ in
      let date = Int64.random(in: 0..<3600, using: &random)
      var id = max(1, date / 60)
      while !used.insert(id).inserted { id += 1 }
      var message = TestMessage(id, date: date)
      message.subject = sentence(&random)
      message.body = sentence(&random)
      message.from = words.randomElement(using: &random) ?? ""
      message.flags = IndexFlags(rawValue: Int64.random(in: 0...7, using: &random))
      message.account = Bool.random(using: &random) ? "a" : "b"
      message.folders = Array(
        ["x", "y", "z"].shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random)))
      message.keywords = Bool.random(using: &random) ? ["k"] : []
      message.size = Int64.random(in: 0...3000, using: &random)
      message.thread = Int64.random(in: 1...10, using: &random)
      return message
    }
  }

  private static func sentence(_ random: inout SplitMix) -> String {
    (0..<Int.random(in: 0...4, using: &random)).compactMap { _ in
      words.randomElement(using: &random)
    }
    .joined(separator: " ")
  }

  private static func query(_ depth: Int, _ random: inout SplitMix) -> String {
    let word = words.randomElement(using: &random) ?? ""
    let other = words.randomElement(using: &random) ?? ""
    switch Int.random(in: 0..<(depth > 0 ? 20 : 13), using: &random) {
    case 0, 1: return word
    case 2: return "subject:\(word)"
    case 3: return "\"\(word) \(other)\""
    case 4: return "\(word.prefix(1))*"
    case 5: return "from:\(word)"
    case 6: return ["is:unread", "is:flagged", "is:replied"].randomElement(using: &random) ?? ""
    case 7: return "account:a"
    case 8: return "folder:\(["x", "y", "z", "*"].randomElement(using: &random) ?? "")"
    case 9: return "keyword:k"
    case 10: return "size:>\(Int.random(in: 0...3000, using: &random))"
    case 11: return "date:@\(Int.random(in: 0...3600, using: &random)).."
    case 12: return "before:@\(Int.random(in: 0...3600, using: &random))"
    case 13, 14: return "-(\(query(depth - 1, &random)))"
    case 15, 16: return "(\(query(depth - 1, &random)) or \(query(depth - 1, &random)))"
    case 17: return "thread:{\(query(depth - 1, &random))}"
    default: return "(\(query(depth - 1, &random)) \(query(depth - 1, &random)))"
    }
  }

  @Test func `the planned search agrees with a plain reading`() throws {
    var random = SplitMix(state: 42)
    for round in 0..<40 {
      let messages = Self.messages(&random)
      let shift = messages.map { $0.id - max(1, $0.date / 60) }.max() ?? 0
      let index = try SearchIndex(messages, maxShift: shift)
      for _ in 0..<20 {
        let query = Self.query(4, &random)
        let node = try SearchIndex.parse(query)
        let expected = messages.filter { Self.matches($0, node, messages) }
          .sorted { ($0.date, $0.id) > ($1.date, $1.id) }.map(\.id)
        #expect(
          try index.ids(query) == expected,
          "round \(round): \(query) in \(messages.map { ($0.id, $0.date, $0.thread ?? 0) })")
        #expect(try index.ids(query, limit: 3, offset: 2) == Array(expected.dropFirst(2).prefix(3)))
        #expect(try index.search(query) { try $0.count() } == expected.count, "count of \(query)")
        #expect(
          try Self.streamed(node, index, fewMatches: 1) == expected.sorted(by: >),
          "threads one by one: \(query)")
        #expect(
          try Set(index.ids(query, sort: .relevance)) == Set(expected), "relevance of \(query)")
      }
    }
  }

  /// The numbers as they come from the sources, with threads looked at one by one.
  private static func streamed(_ node: QueryNode, _ index: SearchIndex, fewMatches: Int) throws
    -> [Int64]
  {
    try index.queue.read { db in
      var planner = try SearchPlanner(db)
      let stream = try StreamBuilder(db, fewMatches: fewMatches).stream(planner.plan(node))
      var numbers: [Int64] = []
      while let number = try stream.next(atMost: (numbers.last ?? .max) - 1) {
        numbers.append(number)
      }
      return numbers
    }
  }

  private static func matches(_ message: TestMessage, _ node: QueryNode, _ all: [TestMessage])
    -> Bool
  {
    switch node.kind {
    case .everything, .ignored: true
    case .and(let nodes): nodes.allSatisfy { matches(message, $0, all) }
    case .or(let nodes): nodes.contains { matches(message, $0, all) }
    case .not(let inner): !matches(message, inner, all)
    case .text(let term): has(term, message)
    case .flags(let flags, let isSet): message.flags.isDisjoint(with: flags) != isSet
    case .account(let pattern): message.account == pattern.text
    case .folder(let pattern): pattern.text == "*" || message.folders.contains(pattern.text)
    case .keyword(let pattern), .keywordIfAny(let pattern):
      message.keywords.contains(pattern.text)
    case .size(let range): range.contains(message.size)
    case .date(let range): range.contains(message.date)
    case .threadsOf(let inner):
      all.contains { $0.thread == message.thread && matches($0, inner, all) }
    default: false
    }
  }

  private static func has(_ term: TextTerm, _ message: TestMessage) -> Bool {
    let texts = [
      (TextColumns.subject, message.subject), (.body, message.body), (.sender, message.from),
    ]
    let wanted = term.text.split(separator: " ")
    return texts.contains { column, text in
      guard term.columns.contains(column) else { return false }
      let words = text.split(separator: " ")
      return words.indices.contains { start in
        let part = words[start...].prefix(wanted.count)
        guard part.count == wanted.count else { return false }
        return zip(part, wanted).enumerated().allSatisfy { index, pair in
          term.isPrefix && index == wanted.count - 1 ? pair.0.hasPrefix(pair.1) : pair.0 == pair.1
        }
      }
    }
  }
}

/// A small generator with a seed, so that failures come again.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
