import MailCore
import Testing

/// Promise 1: flags and keywords merge three-way, each on its own.
struct MessageMarksTests {
  static let sides: [MessageFlags] = [[], .seen, .flagged, [.seen, .flagged]]

  @Test(arguments: sides, sides) func `what one side changed survives what the other changed`(
    agreed: MessageFlags, local: MessageFlags
  ) {
    for remote in Self.sides {
      let merged = MessageMarks.merged(
        agreed: MessageMarks(flags: agreed), local: MessageMarks(flags: local),
        remote: MessageMarks(flags: remote)
      ).flags
      for flag in [MessageFlags.seen, .flagged] {
        let changedHere = agreed.contains(flag) != local.contains(flag)
        let expected = changedHere ? local.contains(flag) : remote.contains(flag)
        #expect(merged.contains(flag) == expected)
      }
    }
  }

  @Test func `keywords merge one by one`() {
    let merged = MessageMarks.merged(
      agreed: MessageMarks(keywords: ["a", "b"]), local: MessageMarks(keywords: ["b", "mine"]),
      remote: MessageMarks(keywords: ["a", "b", "theirs"]))
    #expect(merged.keywords == ["b", "mine", "theirs"])
  }

  @Test func `keywords compare without case and keep their spelling`() {
    #expect(Keywords(["Work", "work", "play"]).count == 2)
    #expect(Keywords(["WORK"]) == Keywords(["work"]))
    #expect(Array(Keywords(["Work"]).union(["work"])) == ["Work"])
    #expect(Keywords(["x"]).subtracting(["X"]).isEmpty)
  }
}
