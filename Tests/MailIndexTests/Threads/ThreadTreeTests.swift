import Testing

@testable import MailIndex

/// All trees of four messages, in every order of arrival, with each one deleted.
struct ThreadTreeTests {
  enum Headers: CaseIterable { case inReplyTo, references, both }

  /// `tree[i]` is the parent of message i, which is older; the first has none.
  static let trees: [[Int]] = (0..<2).flatMap { third in
    (0..<3).map { fourth in [-1, 0, third, fourth] }
  }

  static let orders: [[Int]] = permutations([0, 1, 2, 3])

  private static func permutations(_ items: [Int]) -> [[Int]] {
    items.isEmpty
      ? [[]]
      : items.flatMap { first in
        permutations(items.filter { $0 != first }).map { [first] + $0 }
      }
  }

  private static func ancestors(_ message: Int, _ tree: [Int]) -> [Int] {
    tree[message] < 0 ? [] : ancestors(tree[message], tree) + [tree[message]]
  }

  private static func mails(_ tree: [Int], _ headers: Headers) -> [Mail] {
    (0..<4).map { message in
      let ids = ancestors(message, tree).map { "m\($0)@x" }
      return Mail(
        "m\(message)", answers: headers == .references ? [] : Array(ids.suffix(1)),
        references: headers == .inReplyTo ? [] : ids, subject: message == 0 ? "plan" : "Re: plan",
        from: "P\(message) <p\(message)@x>", date: Int64(1000 * message), unread: message % 2 == 0)
    }
  }

  /// Computed from the tree, by hand: who is left, whom they name, who is thereby together.
  private static func expected(_ tree: [Int], _ headers: Headers, without gone: Int?) -> [String:
    Seen]
  {
    let left = (0..<4).filter { $0 != gone }
    func named(_ message: Int) -> [Int] {
      headers == .inReplyTo
        ? Array(ancestors(message, tree).suffix(1)) : ancestors(message, tree)
    }
    var groups = left.map { Set([$0] + named($0)) }
    var isMoving = true
    while isMoving {
      isMoving = false
      for a in groups.indices {
        for b in groups.indices where b > a && !groups[a].isDisjoint(with: groups[b]) {
          groups[a].formUnion(groups.remove(at: b))
          isMoving = true
          break
        }
        if isMoving { break }
      }
    }
    var seen: [String: Seen] = [:]
    for message in left {
      let group = groups.first { $0.contains(message) }?.filter(left.contains).sorted() ?? []
      let parent = named(message).last { $0 != gone }
      let row = [
        "1", "\(1000 * (group.last ?? 0))", "\(group.count)",
        "\(group.filter { $0 % 2 == 0 }.count)", "plan", "says m\(group.last ?? 0)",
      ].joined(separator: "|")
      let isDirect = headers != .references && parent == tree[message]
      seen["m\(message)"] = Seen(
        thread: group.map { "m\($0)" }, parent: parent.map { "m\($0)" },
        source: parent == nil ? .none : isDirect ? .inReplyTo : .reference, row: row)
    }
    return seen
  }

  @Test(arguments: trees, Headers.allCases)
  func `order of arrival and deletion never change the threads`(
    tree: [Int], headers: Headers
  ) throws {
    let mails = Self.mails(tree, headers)
    let whole = Self.expected(tree, headers, without: nil)
    for order in Self.orders {
      for inOneBatch in [false, true] {
        let lab = try ThreadLab()
        let arriving = order.map { mails[$0] }
        if inOneBatch { try lab.change(add: arriving) } else { try lab.deliver(arriving) }
        #expect(try lab.seen() == whole, "\(tree) \(order)")
        for gone in 0..<4 {
          try lab.change(remove: ["m\(gone)"])
          #expect(
            try lab.seen() == Self.expected(tree, headers, without: gone),
            "\(tree) \(order) without \(gone)")
          try lab.checkNumbers()
          try lab.change(add: [mails[gone]])
          #expect(try lab.seen() == whole, "\(tree) \(order) with \(gone) again")
        }
      }
    }
  }

  @Test(arguments: trees, Headers.allCases)
  func `a first build gives the same threads`(tree: [Int], headers: Headers) throws {
    for gone in [nil, 0, 1, 2, 3] {
      let lab = try ThreadLab()
      try lab.build(Self.mails(tree, headers).enumerated().filter { $0.0 != gone }.map(\.1))
      #expect(try lab.seen() == Self.expected(tree, headers, without: gone))
    }
  }

  @Test func `there are six trees and twenty-four orders`() {
    #expect(Set(Self.trees).count == 6)
    #expect(Set(Self.orders).count == 24)
  }
}
