import ArgumentParser
import Testing

@testable import Reading

@Suite struct ReadingOptionsTests {
  @Test func `a word that begins with a dash is the query's`() throws {
    let command = try SearchCommand.parse([
      "from:alice", "-subject:budget", "--limit", "5", "--", "-x",
    ])
    #expect(command.query.prefix(2) == ["from:alice", "-subject:budget"])
    #expect(command.query.last == "-x")
    #expect(command.range.limit == 5)
  }

  @Test(arguments: [["--limt", "5", "x"], ["x", "--no-such"]])
  func `an unknown option is no word`(arguments: [String]) {
    #expect(throws: (any Error).self) { try SearchCommand.parse(arguments) }
  }

  @Test(arguments: [
    [], [" "], ["--limit", "-1", "x"], ["--format", "xml", "x"], ["--threads", "--context", "x"],
  ])
  func `what makes no sense is refused`(arguments: [String]) {
    #expect(throws: (any Error).self) { try SearchCommand.parse(arguments) }
  }

  @Test func `options that exclude each other are refused`() {
    #expect(throws: (any Error).self) { try ShowCommand.parse(["1", "--raw", "--headers"]) }
    #expect(throws: (any Error).self) { try ShowCommand.parse([]) }
    #expect(throws: (any Error).self) { try ThreadsCommand.parse(["--offset", "-3"]) }
  }

  @Test func `a list on a terminal is short unless asked for more`() throws {
    #expect(try ListRange.parse([]).limit(onTerminal: true) == 50)
    #expect(try ListRange.parse([]).limit(onTerminal: false) == nil)
    #expect(try ListRange.parse(["--limit", "0"]).limit(onTerminal: true) == nil)
    #expect(try ListRange.parse(["--limit", "7"]).limit(onTerminal: true) == 7)
  }

  @Test(arguments: [("/a/b/", "/a/b"), ("/a/./b", "/a/b"), ("/", "/")])
  func `the root has one spelling`(path: String, root: String) {
    #expect(TreeRoot.absolute(path) == root)
  }

  @Test func `a root may be relative`() {
    #expect(
      TreeRoot.absolute("mail").hasSuffix("/mail") && TreeRoot.absolute("mail").hasPrefix("/"))
    #expect(TreeRoot.absolute(".") + "/x" == TreeRoot.absolute("./x"))
  }
}
