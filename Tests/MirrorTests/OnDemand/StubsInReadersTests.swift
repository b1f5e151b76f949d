import MailTestKit
import Testing

/// What a person sees of a stub in each mail reader, and what other indexers make of its fill.
@Suite(.onBlockingThreads, .triedAgain, .enabled(if: Machine.hasDovecot))
struct StubsInReadersTests {
  private func bed() throws -> ReaderBed {
    let bed = try ReaderBed(sync: "on-demand = \"20kB\"")
    try bed.scenario.client.append([
      OnDemandMail.mixed("kiwi", octets: 60_000, name: "Jahresbericht.pdf"), Self.withLog,
    ])
    try bed.pull()
    return bed
  }

  /// A text that is attached, with words that nothing else has.
  private static let withLog = SampleMessage(
    bytes: crlf(
      """
      From: Carol Example <carol@example.org>
      Subject: About logs
      Date: Sun, 13 Sep 2020 12:26:40 +0000
      Message-ID: <logs@example.org>
      MIME-Version: 1.0
      Content-Type: multipart/mixed; boundary="zz"

      --zz
      Content-Type: text/plain

      See the log.
      --zz
      Content-Type: text/plain; name="log.txt"
      Content-Disposition: attachment; filename="log.txt"

      \(String(repeating: "nothing happened at all\n", count: 2000))the zyzzyva arrived
      --zz--

      """), date: 1_600_000_050)

  private func expectTold(_ text: String, location: SourceLocation = #_sourceLocation) {
    // Lines are wrapped as the terminal is wide.
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("Not here: Jahresbericht.pdf"), "\(text)", sourceLocation: location)
    #expect(words.contains("44 kB"), "\(text)", sourceLocation: location)
    #expect(words.contains("mirror fill"), "\(text)", sourceLocation: location)
  }

  @Test(.enabled(if: findProgram("notmuch") != nil))
  func `notmuch shows what is missing, and reads what was filled anew`() throws {
    let bed = try bed()
    try bed.take("notmuch/config", to: ".config/notmuch/default/config")
    #expect(try bed.shell("notmuch new --no-hooks").status == 0)
    expectTold(try bed.shell("notmuch show id:kiwi@example.org").outputText)
    let pdf = "notmuch count mimetype:application/pdf and id:kiwi@example.org"
    #expect(try bed.shell(pdf).outputText == "0\n")
    #expect(try bed.mirror.run(["fill", "--all"]).status == 0)
    #expect(try bed.shell("notmuch new --no-hooks").status == 0)
    #expect(try bed.shell(pdf).outputText == "1\n")
    #expect(try bed.shell("notmuch count --output=files id:logs@example.org").outputText == "1\n")
  }

  @Test(.enabled(if: findProgram("mu") != nil))
  func `mu shows what is missing, and reads what was filled anew`() throws {
    let bed = try bed()
    let begun = try bed.shell(
      "mu init --maildir=$HOME/Mail --my-address=alice@example.org && mu index --nocolor")
    #expect(begun.status == 0, "\(begun.summary)")
    let view = "mu view $(mu find --fields l msgid:kiwi@example.org)"
    expectTold(try bed.shell(view).outputText)
    let pdf = "mu find --fields i mime:application/pdf"
    #expect(try bed.shell(pdf).outputText == "")
    #expect(try bed.mirror.run(["fill", "--all"]).status == 0)
    #expect(try bed.shell("mu index --nocolor").status == 0)
    #expect(try bed.shell(pdf).outputText == "kiwi@example.org\n")
    let found = try bed.mirror.run(["pull"])
    #expect(found.status == 0, "\(found.summary)")
    #expect(try bed.mirror.run(["search", "zyzzyva"]).outputText.contains("About logs"))
  }

  @Test(.enabled(if: Readers.hasScreen && findProgram("neomutt") != nil))
  func `neomutt shows what is missing`() throws {
    let bed = try bed()
    let screen = try bed.screen(
      "neomutt", "-F", "\(ReaderBed.contrib)/readers/neomutt/neomuttrc", "-e",
      "push <limit>~s.kiwi<enter><display-message>")
    try screen.wait(for: "Not here: Jahresbericht.pdf")
    expectTold(try screen.text)
  }

  /// What neomutt makes of a message when it is sent on.
  enum SendingOn: String, CaseIterable {
    case bounce, attached, quoted
  }

  @Test(
    .enabled(if: Readers.hasScreen && findProgram("neomutt") != nil),
    arguments: SendingOn.allCases)
  func `neomutt sends no stub on, and the message once it is filled`(way: SendingOn) throws {
    let bed = try bed()
    func send() throws -> TerminalScreen {
      let screen = try bed.screen(
        "neomutt", "-F", "\(ReaderBed.contrib)/readers/neomutt/neomuttrc", "-e",
        "set mime_forward=\(way == .attached ? "yes" : "no") forward_attachments=yes; "
          + "push <limit>~s.kiwi<enter>")
      try screen.wait(for: "Files kiwi")
      try screen.waitUntilGone("About")
      try screen.press(way == .bounce ? "b" : "f")
      try screen.wait(for: way == .bounce ? "Bounce message to" : "To:")
      try screen.type("dave@example.org")
      if way == .bounce {
        try screen.wait(for: "Bounce message to dave")
        try screen.press("y")
      } else {
        try screen.wait(for: "Subject:")
        try screen.press("Enter")
        try screen.wait(for: "y:Send")
        try screen.press("y")
      }
      return screen
    }
    func queued() throws -> String { try bed.mirror.run(["outbox"]).outputText }
    do {
      let refused = try send()
      try refused.wait(for: "mirror fill id:kiwi@example.org")
      #expect(try !queued().contains("dave@example.org"))
    }
    #expect(try bed.mirror.run(["fill", "--all"]).status == 0)
    let accepted = try send()
    defer { _ = accepted }
    let isQueued = try eventually { try queued().contains("dave@example.org") }
    #expect(isQueued, "neomutt sends it")
  }

  @Test(.enabled(if: Readers.hasScreen && findProgram("aerc") != nil))
  func `aerc shows what is missing`() throws {
    let bed = try bed()
    for file in ["accounts.conf", "aerc.conf"] {
      try bed.take("aerc/\(file)", to: ".config/aerc/\(file)")
    }
    let keys =
      try readFile("/usr/share/aerc/binds.conf")
      + readFile("\(ReaderBed.contrib)/readers/aerc/binds.conf")
    try writeFile(bed.home + "/.config/aerc/binds.conf", keys)
    let screen = try bed.screen("aerc")
    try screen.wait(for: "Files kiwi")
    try screen.type(":filter kiwi")
    try screen.waitUntilGone("About")
    // The one that was chosen is gone with the others.
    try screen.type(":select 0")
    try screen.press("Enter")
    // The parts are listed below the text; the second one is chosen.
    try screen.wait(for: "Jahresbericht.pdf (not here).txt")
    try screen.type(":next-part")
    try screen.wait(for: "Not here: Jahresbericht.pdf")
  }
}
