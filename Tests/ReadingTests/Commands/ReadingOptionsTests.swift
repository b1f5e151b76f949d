import ArgumentParser
import CLISupport
import Testing

@testable import Reading

@Suite struct ReadingOptionsTests {
  @Test func `a word that begins with a dash is the query's`() throws {
    let command = try SearchCommand.parse([
      "from:alice", "-subject:budget", "--limit", "5", "--", "-x",
    ])
    #expect(command.query.prefix(2) == ["from:alice", "-subject:budget"])
    #expect(command.query.last == "-x")
    #expect(QueryWords.of(command.query) == ["from:alice", "-subject:budget", "-x"])
    #expect(command.range.limit == 5)
  }

  @Test(arguments: [["--limt", "5", "x"], ["x", "--no-such"]])
  func `an unknown option is no word`(arguments: [String]) {
    #expect(throws: (any Error).self) { try SearchCommand.parse(arguments) }
  }

  @Test(arguments: [
    [], ["--"], ["--limit", "-1", "x"], ["--format", "xml", "x"], ["--threads", "--context", "x"],
  ])
  func `what makes no sense is refused`(arguments: [String]) {
    #expect(throws: (any Error).self) { try SearchCommand.parse(arguments) }
  }

  @Test func `the end of the options is no word`() throws {
    let show = try ShowCommand.parse(["--", "12"])
    #expect(QueryWords.of(show.query) == ["12"])
    #expect(QueryWords.of(try SearchCommand.parse(["--", "or hello"]).query) == ["or hello"])
    #expect(
      QueryWords.of(try SearchCommand.parse(["--", "--limit", "x"]).query) == ["--limit", "x"])
    #expect(QueryWords.of(try AttachmentsCommand.parse(["--", "-x"]).query) == ["-x"])
    #expect(QueryWords.of(try ThreadsCommand.parse(["a", "--"]).query) == ["a"])
    #expect(throws: (any Error).self) { try ShowCommand.parse(["--"]) }
  }

  @Test
  func `options with a value are known to be such where a query's words are kept from the parser`()
  {
    let words = ReadingCommands.all().flatMap { $0.helpMessage().split { $0.isWhitespace } }
    let valued = zip(words, words.dropFirst()).filter {
      $0.hasPrefix("--") && $1.hasPrefix("<") && $1.hasSuffix(">")
    }
    #expect(Set(valued.map { String($0.0) }) == Set(DashWords.valued))
    for command in ReadingCommands.all() where command != AddressCommand.self {
      #expect(DashWords.verbs.contains(command.configuration.commandName ?? ""))
    }
  }

  @Test func `what looks like options of one letter is the query's`() throws {
    let arguments = DashWords.protected(["search", "-hy", "-folder:Lists/dev", "--count", "-y"])
    let command = try SearchCommand.parse(Array(arguments.dropFirst()))
    #expect(QueryWords.of(command.query) == ["-hy", "-folder:Lists/dev", "-y"])
    #expect(command.count)
  }

  @Test(arguments: ["", " "])
  func `an empty query finds everything where it is said`(text: String) throws {
    let command = try SearchCommand.parse([text])
    #expect(try MessageQuery(QueryWords.of(command.query), now: 0).node.kind == .everything)
    #expect(throws: (any Error).self) { try ShowCommand.parse([text]) }
    #expect(throws: (any Error).self) { try AttachmentsCommand.parse([text]) }
  }

  @Test func `nought as a limit means all`() throws {
    #expect(try AddressCommand.parse(["--limit", "0", "x"]).limit == 0)
    #expect(throws: (any Error).self) { try AddressCommand.parse(["--limit", "-1", "x"]) }
  }

  @Test func `a configuration with nothing but a root will do`() throws {
    let scratch = try ScratchDirectory()
    try scratch.write("root = \"\(scratch.path)/Mail\"\n", to: "config.toml")
    let options = try ReadingOptions.parse(["--config", scratch.path + "/config.toml"])
    #expect(try TreeRoot.find(options.place).root == scratch.path + "/Mail")
  }

  @Test func `options that exclude each other are refused`() {
    #expect(throws: (any Error).self) { try ShowCommand.parse(["1", "--raw", "--headers"]) }
    #expect(throws: (any Error).self) { try ShowCommand.parse([]) }
    #expect(throws: (any Error).self) { try ThreadsCommand.parse(["--offset", "-3"]) }
  }

  @Test func `a list on a terminal is short unless asked for more`() throws {
    #expect(try ListRange.parse([]).range.limit(onTerminal: true) == 50)
    #expect(try ListRange.parse([]).range.limit(onTerminal: false) == nil)
    #expect(try ListRange.parse(["--limit", "0"]).range.limit(onTerminal: true) == nil)
    #expect(try ListRange.parse(["--limit", "7"]).range.limit(onTerminal: true) == 7)
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
