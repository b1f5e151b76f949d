import Foundation
import Testing

@testable import MailIndex

struct ThreadLinkerTests {
  private static let many = 30_000

  /// - Parameter memory: that keys are sorted in; less of it changes nothing.
  private func link(_ mails: [Mail], memory: Int = 4 << 20) throws -> ThreadLinks {
    var linker = ThreadLinker(in: NSTemporaryDirectory(), memory: memory)
    for (place, mail) in mails.enumerated() { try linker.add(Int64(place + 1), mail.facts) }
    return try linker.link(hubs: nil)
  }

  @Test func `a chain of any length is one thread`() throws {
    let links = try link(
      (0..<Self.many).map { Mail("m\($0)", answers: ["m\($0 + 1)@x"], date: Int64(-$0)) })
    #expect(links.thread.allSatisfy { $0 == 0 })
    #expect((0..<Self.many - 1).allSatisfy { links.parent[$0] == Int32($0 + 1) })
    #expect(links.parent.last == -1)
  }

  @Test func `a circle of any length is cut once, at its earliest message`() throws {
    let links = try link(
      (0..<Self.many).map {
        Mail(
          "m\($0)", answers: ["m\(($0 + 1) % Self.many)@x"],
          date: $0 == 777 ? -1 : Int64(($0 * 31) % 1000))
      })
    #expect(links.parent.filter { $0 < 0 }.count == 1)
    #expect(links.parent[777] == -1)
  }

  @Test func `very many that share one id and one subject are told apart in linear time`() throws {
    let links = try link(
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

  @Test func `nothing makes no threads`() throws {
    #expect(try link([]).thread.isEmpty)
  }

  @Test func `keys that do not fit into memory say the same`() throws {
    let mails = (0..<3000).map { number in
      let answers = number % 3 == 0 ? [] : ["m\(number * 7 % 3000)@x", "m\(number / 2)@x"]
      let date = Int64(number * 31 % 5000)
      return Mail("m\(number)", answers: answers, subject: "Re: talk \(number % 40)", date: date)
    }
    let all = try link(mails)
    let few = try link(mails, memory: 2000)
    #expect(all.parent == few.parent)
    #expect(all.thread == few.thread)
    #expect(all.source == few.source)
    #expect(all.parent.contains { $0 >= 0 })
  }

  @Test func `a set is called after its smallest member`() {
    var sets = DisjointSets(count: 8)
    for (a, b) in [(7, 5), (3, 4), (5, 3), (6, 7)] { sets.unite(a, b) }
    #expect((0..<8).map { sets.root(of: $0) } == [0, 1, 2, 3, 3, 3, 3, 3])
  }
}
