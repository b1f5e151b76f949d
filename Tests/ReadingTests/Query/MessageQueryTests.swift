import MailIndex
import Testing

@testable import Reading

@Suite struct MessageQueryTests {
  @Test(arguments: [[], [" "], ["*"], ["*", "*"]])
  func `nothing and a star stand for all messages`(words: [String]) throws {
    #expect(try MessageQuery(words, now: 0).node.kind == .everything)
  }

  @Test(arguments: ["(", "and", "nosuchfield:x", "\"open", "size:abc", ")"])
  func `a mistake comes with its place`(query: String) throws {
    do {
      _ = try MessageQuery([query], now: 0)
      Issue.record("no mistake was found")
    } catch let mistake as QueryMistake {
      #expect(mistake.error.drawing().contains("^"))
    }
  }
}
