import Testing

@testable import MailIndex

struct ThreadLinkerTests {
  private static let many = 30_000

  private func link(_ mails: [Mail]) -> ThreadLinks {
    var nodes = ThreadNodes()
    for (place, mail) in mails.enumerated() { nodes.append(Int64(place + 1), mail.facts) }
    return ThreadLinker.link(nodes, hubs: nil)
  }

  @Test func `a chain of any length is one thread`() {
    let links = link(
      (0..<Self.many).map { Mail("m\($0)", answers: ["m\($0 + 1)@x"], date: Int64(-$0)) })
    #expect(links.thread.allSatisfy { $0 == 0 })
    #expect((0..<Self.many - 1).allSatisfy { links.parent[$0] == Int32($0 + 1) })
    #expect(links.parent.last == -1)
  }

  @Test func `a circle of any length is cut once, at its earliest message`() {
    let links = link(
      (0..<Self.many).map {
        Mail(
          "m\($0)", answers: ["m\(($0 + 1) % Self.many)@x"],
          date: $0 == 777 ? -1 : Int64(($0 * 31) % 1000))
      })
    #expect(links.parent.filter { $0 < 0 }.count == 1)
    #expect(links.parent[777] == -1)
  }

  @Test func `very many that share one id and one subject are told apart in linear time`() {
    let links = link(
      (0..<Self.many).map {
        Mail(
          "m\($0)", answers: $0 % 2 == 0 ? ["shared@x"] : [], subject: "Re: nightly job",
          date: Int64($0))
      })
    // Those without headers hang below whatever came before them.
    #expect(links.thread.allSatisfy { $0 == 0 })
    #expect(links.source[1] == .subject)
    #expect(links.parent[1] == 0)
    #expect(links.parent[2] == -1)
  }

  @Test func `nothing makes no threads`() {
    #expect(link([]).thread.isEmpty)
  }

  @Test func `keys get numbers once, in order of first sight, however many come`() {
    var table = KeyTable(capacity: 0)
    for round in 0..<2 {
      for key in 1...5000 as ClosedRange<UInt64> {
        #expect(table.number(of: key << 40) == Int32(key - 1), "round \(round)")
      }
    }
    #expect(table.count == 5000)
    #expect(table.known(5001 << 40) == nil)
    #expect(table.known(17 << 40) == 16)
  }

  @Test func `a set is called after its smallest member`() {
    var sets = DisjointSets(count: 8)
    for (a, b) in [(7, 5), (3, 4), (5, 3), (6, 7)] { sets.unite(a, b) }
    #expect((0..<8).map { sets.root(of: $0) } == [0, 1, 2, 3, 3, 3, 3, 3])
  }
}
