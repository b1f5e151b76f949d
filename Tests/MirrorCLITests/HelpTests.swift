import Foundation
import Testing

@testable import MirrorCLI

@Suite struct HelpTests {
  @Test func `the overview fits a screen, with room for the prompt`() {
    let lines = MirrorCommand.overview.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 23)
    for line in lines { #expect(line.count <= 80, "\(line)") }
    let words = Set(MirrorCommand.overview.split { $0.isWhitespace }.map(String.init))
    for command in MirrorCommand.commands { #expect(words.contains(command.name)) }
  }

  @Test func `a command that has no words in the overview is shown with its own`() {
    let text = Overview.text(commands: [
      ("pull", "x"), ("frobnicate", "Do this and that, and a third thing besides."),
    ])
    #expect(text.contains("\n  pull        from the server\n"))
    #expect(text.contains("\n  frobnicate  Do this and that, and a \n"))
    #expect(!text.contains("push  "))
  }

  @Test(arguments: [
    ("--help", true), ("-h", true), ("-q --help", true), ("--config help --help", true),
    ("--format json -h", true), ("", false), ("pull --help", false), ("help", false),
    ("--version", false), ("-- --help", false), ("--config --help", false),
  ])
  func `the overview is for those who ask before any command`(arguments: String, asked: Bool) {
    #expect(Overview.isAsked(by: arguments.split(separator: " ").map(String.init)) == asked)
  }

  private static let commands = MirrorCommand.commands.map(\.name)

  private func pages(_ word: String) -> [String]? {
    ManualTopic(word, commands: Self.commands)?.pages.map(\.description)
  }

  @Test(arguments: [
    ("config", "mirror-config(5)"), ("search", "mirror-search(7)"), ("query", "mirror-search(7)"),
    ("index", "mirror-index(1)"), ("database", "mirror-index(5)"), ("init", "mirror-init(1)"),
    ("sendmail", "mirror-sendmail(1)"), ("outbox", "mirror-outbox(1)"), ("auth", "mirror-auth(1)"),
    ("threads", "mirror-index(1)"), ("mirror", "mirror(1)"), ("mirror(1)", "mirror(1)"),
    ("mirror-config", "mirror-config(5)"), ("mirror-index.5", "mirror-index(5)"),
    ("index(5)", "mirror-index(5)"), ("config.5", "mirror-config(5)"),
    ("doctor", "mirror-doctor(1)"),
  ])
  func `a topic leads to its page`(word: String, page: String) {
    #expect(pages(word)?.first == page)
  }

  @Test func `every command is a topic, and told of in the program's own page at least`() {
    for command in Self.commands where command != "help" {
      #expect(pages(command) != nil, "\(command)")
    }
    #expect(pages("pull")?.last == "mirror(1)")
    for word in ["", "nonsense", "help", "../etc", "mirror-nonsense", "config(1)", "(1)", "."] {
      #expect(pages(word) == nil, "\(word)")
    }
    let listed = ManualTopic.names(commands: Self.commands)
    #expect(listed.contains("config") && listed.contains("pull") && !listed.contains("help"))
    for name in listed { #expect(pages(name) != nil, "\(name)") }
  }

  @Test func `every page of the manual is the first of some topic`() throws {
    var top = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { top.deleteLastPathComponent() }
    let files = try FileManager.default.contentsOfDirectory(atPath: top.path + "/man")
    for file in files { #expect(ManualTopic(file, commands: Self.commands) != nil, "\(file)") }
  }

  @Test func `pages are looked for beside the program, then in the sources it was built from`()
    throws
  {
    let place = NSTemporaryDirectory() + "/help-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: place) }
    for file in ["usr/share/man/man5/mirror-config.5.gz", "src/man/mirror.1"] {
      let path = URL(fileURLWithPath: "\(place)/\(file)")
      try FileManager.default.createDirectory(
        at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data().write(to: path)
    }
    let config = [ManualPage("mirror-config", 5)]
    let pull = [ManualPage("mirror-pull", 1), ManualPage("mirror", 1)]
    let installed = ManualPlaces(program: place + "/usr/bin/mirror")
    #expect(installed.path(of: config) == place + "/usr/share/man/man5/mirror-config.5.gz")
    #expect(installed.path(of: pull) == nil)
    let built = ManualPlaces(program: place + "/src/.build/debug/mirror")
    #expect(built.path(of: pull) == place + "/src/man/mirror.1")
    #expect(built.path(of: config) == nil)
    let system = ManualPlaces(program: "/mirror") { $0.section == 5 ? "/found" : nil }
    #expect(system.path(of: config) == "/found" && system.path(of: pull) == nil)
  }

  @Test func `bold and underlined letters become plain ones`() {
    #expect(ManualText.withoutOverstrikes("N\u{8}NA_\u{8}b\u{8}\u{8}\u{8}\u{8}x") == "x")
    #expect(ManualText.withoutOverstrikes("N\u{8}NA\u{8}A _\u{8}ü") == "NA ü")
  }
}

@Suite struct PlainManualTests {
  @Test func `paragraphs are filled, lists and examples set off`() {
    let text = PlainManual.text(
      of: #"""
        .\" Nobody sees this.
        .Dd November 21, 2026
        .Sh NAME
        .Nm thing
        .Nd does it
        .Sh DESCRIPTION
        .Nm
        takes
        .Fl -dry-run
        and
        .Op Ar file ... ,
        see
        .Xr other 1 .
        .Bl -tag -width Ds
        .It Fl v , Fl -verbose
        Says
        .Dq more .
        .El
        .Bd -literal
        $ thing \e

            --now
        .Ed
        .Bl -enum -compact
        .It
        first
        .It
        second
        .El
        """#)
    #expect(
      text == """

        NAME
          thing – does it

        DESCRIPTION
          thing takes --dry-run and [file ...], see other(1).
          -v, --verbose
                Says “more”.

              $ thing \\

                  --now
          1.
                first
          2.
                second

        """)
  }

  @Test(arguments: [
    ("Ar account Ns Op / Ns Ar mailbox", "account[/mailbox]"),
    ("Fl -version | -help", "--version | --help"),
    ("Cm flag Oo Cm + Ns | Ns Cm - Oc Ns Ar name", "flag [+|-]name"),
    ("Pq objects with Va name , role ,", "(objects with name, role),"),
    (#"Li \(dqa b\(dq \&: \e."#, #""a b" : \."#), (#"Ql "a b" ."#, "‘a b’."),
  ])
  func `words of a line come out as mandoc shows them`(line: String, text: String) {
    #expect(PlainManual.text(of: "." + line) == "  \(text)\n")
  }
}
