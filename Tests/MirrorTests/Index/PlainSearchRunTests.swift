import MailTestKit
import Testing

/// Both programs answer a search alike, whether its command line needs the argument parser or not.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasIndexProgram)) struct PlainSearchRunTests {
  private static let searches: [[String]] = [
    ["--limit", "3", "*"], ["--limit", "3", "--format", "ids", "*"], ["--format", "paths", "*"],
    ["--limit", "2", "--format", "jsonl", "*"], ["--limit", "5", "--threads", "*"],
    ["--limit", "0", "--count", "*"], ["--limit", "3", "nobodyhasthisword"],
    ["--limit", "3", "from:(a"], ["--limit", "3", "folder:nowhere"],
    ["--limit", "3", "--sort", "relevance", "the"], ["--limit", "3", "--context", "the"],
  ]

  @Test func `with and without the parser`() throws {
    let index = try IndexProgram()
    var generator = MailGenerator(seed: 11, profile: .office, count: 30)
    try index.fill(generator.messages(30))
    try index.runSuccessfully("update")
    for search in Self.searches {
      let plain = try answers(index, ["search"] + search)
      // With an equals sign the parser has to read it.
      let (option, value) = (search[0], search[1])
      let parsed = try answers(index, ["search", "\(option)=\(value)"] + search.dropFirst(2))
      for (one, other) in zip(plain, parsed) {
        #expect(one.status == other.status, "\(search)")
        #expect(one.outputText == other.outputText, "\(search)")
        #expect(one.errorText == other.errorText, "\(search)")
      }
    }
  }

  @Test func `a tree without an index is told`() throws {
    let index = try IndexProgram()
    for outcome in try answers(index, ["search", "x"]) {
      #expect(outcome.status == 1 && outcome.errorText.contains("update"), "\(outcome.summary)")
    }
  }

  /// Of `mirror-index` and of `mirror`.
  private func answers(_ index: IndexProgram, _ arguments: [String]) throws -> [Outcome] {
    let indexer = try index.command(arguments)
    let mirror = try [#require(MirrorProgram.binary)] + indexer.dropFirst()
    return try [indexer, mirror].map { try run($0, environment: index.environment) }
  }
}
