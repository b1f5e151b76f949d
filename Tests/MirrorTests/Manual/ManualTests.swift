import Foundation
import MailTestKit
import Testing

/// The pages of `man/` as mandoc sees them.
@Suite(.onBlockingThreads) struct ManualTests {
  private static let folder: String = {
    var top = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { top.deleteLastPathComponent() }
    return top.path + "/man"
  }()

  private static let pages: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()

  @Test(.enabled(if: findProgram("mandoc") != nil, "no mandoc"), arguments: pages)
  func `a manual page has nothing that mandoc complains of`(page: String) throws {
    let outcome = try run(["mandoc", "-Tlint", "\(Self.folder)/\(page)"])
    let complaints = outcome.outputText.split(separator: "\n").filter { line in
      guard let range = line.range(of: "referenced manual not found: Xr ") else { return true }
      // Whether a manual is installed here says nothing; but ours have to be there.
      let words = line[range.upperBound...].split(separator: " ").prefix(2)
      return words.first?.hasPrefix("mirror") == true
        && !Self.pages.contains(words.joined(separator: "."))
    }
    #expect(complaints == [])
    #expect(outcome.status ?? 255 <= 1, "\(outcome.summary)")
  }

  @Test func `all manual pages are there`() {
    for page in [
      "mirror.1", "mirror-adopt.1", "mirror-auth.1", "mirror-doctor.1", "mirror-fill.1",
      "mirror-init.1",
      "mirror-outbox.1", "mirror-sendmail.1", "mirror-config.5", "mirror-index.1",
      "mirror-index.5", "mirror-search.7", "mirror-watch.1",
    ] {
      #expect(Self.pages.contains(page), "\(page)")
    }
  }

  /// The options and subcommands are those that `--help` names, as the parser itself tells them.
  @Test(.enabled(if: Machine.hasProgram), arguments: ["mirror", "mirror-index"])
  func `what the help names stands in a manual page`(program: String) throws {
    let mirror = try #require(MirrorProgram.binary)
    let binary = program == "mirror" ? mirror : try #require(IndexProgram.binary)
    let outcome = try run([binary, "--experimental-dump-help"])
    let whole = try JSONDecoder().decode(Help.self, from: Data(outcome.output)).command
    #expect((whole.subcommands ?? []).count > 5, "\(outcome.summary)")
    // What the parser adds by itself, to show this help another way.
    for command in whole.subcommands ?? [] where command.commandName != "help" {
      try expectTold(command, path: [program], pages: Self.pages(of: command, program))
    }
    try expectTold(whole, path: [], pages: ["\(program).1"], isAlone: true)
  }

  /// Where a command's options are looked for: its own page, else those of many, and the program's.
  private static func pages(of command: Help.Command, _ program: String) -> [String] {
    guard program == "mirror" else { return ["mirror-index.1"] }
    let own = command.commandName == "stub" ? "mirror-fill.1" : "mirror-\(command.commandName).1"
    return ["mirror.1", pages.contains(own) ? own : "mirror-index.1"]
  }

  private func expectTold(
    _ command: Help.Command, path: [String], pages: [String], isAlone: Bool = false
  ) throws {
    let words = try pages.reduce(into: ManualWords()) {
      $0.add(try String(contentsOfFile: "\(Self.folder)/\($1)", encoding: .utf8))
    }
    let path = path + [command.commandName]
    #expect(
      words.names.contains(command.commandName), "\(path.joined(separator: " ")) in \(pages)")
    for option in command.longOptions {
      #expect(
        words.options.contains(option), "\(path.joined(separator: " ")) --\(option) in \(pages)")
    }
    guard !isAlone else { return }
    for inner in command.subcommands ?? [] {
      try expectTold(inner, path: path, pages: pages)
    }
  }

  @Test(arguments: pages) func `a manual page leads to all the others`(page: String) throws {
    let lines = try String(contentsOfFile: "\(Self.folder)/\(page)", encoding: .utf8)
      .split(separator: "\n").drop { $0 != ".Sh SEE ALSO" }
    for other in Self.pages where other != page {
      let reference = ".Xr " + other.replacing(".", with: " ")
      #expect(lines.contains { $0 == reference || $0 == reference + " ," }, "\(other)")
    }
  }
}

/// What mdoc macros name in a page.
private struct ManualWords {
  /// Without their dashes.
  var options: Set<String> = []
  var names: Set<String> = []

  mutating func add(_ page: String) {
    for line in page.split(separator: "\n") where line.hasPrefix(".") {
      let words = line.split(separator: " ").dropFirst()
      for word in words where word.hasPrefix("-") { options.insert(String(word.dropFirst())) }
      names.formUnion(words.map(String.init))
    }
  }
}

/// A program's help, as the argument parser gives it to tools.
private struct Help: Decodable {
  struct Command: Decodable {
    var commandName: String
    var arguments: [Argument]?
    var subcommands: [Command]?

    var longOptions: [String] {
      (arguments ?? []).filter(\.shouldDisplay).flatMap { $0.names ?? [] }
        .filter { $0.kind == "long" }.map(\.name)
    }
  }

  struct Argument: Decodable {
    var names: [Name]?
    var shouldDisplay: Bool
  }

  struct Name: Decodable {
    var kind: String
    var name: String
  }

  var command: Command
}
