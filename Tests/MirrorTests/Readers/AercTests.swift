import MailTestKit
import Testing

/// aerc with `contrib/readers/aerc`.
@Suite(
  .onBlockingThreads, .triedAgain, .enabled(if: Readers.hasScreen && findProgram("aerc") != nil))
struct AercTests {
  private let bed: ReaderBed

  init() throws {
    bed = try ReaderBed()
    for file in ["accounts.conf", "aerc.conf"] {
      try bed.take("aerc/\(file)", to: ".config/aerc/\(file)")
    }
    let keys =
      try readFile("/usr/share/aerc/binds.conf")
      + readFile("\(ReaderBed.contrib)/readers/aerc/binds.conf")
    try writeFile(bed.home + "/.config/aerc/binds.conf", keys)
  }

  private func started() throws -> TerminalScreen {
    let screen = try bed.screen("aerc")
    try screen.wait(for: "About apple")
    try screen.wait(for: "Lists/swift")
    return screen
  }

  @Test func `a message is read, flagged and answered`() throws {
    let screen = try started()
    #expect(try !screen.text.contains(".mirror"))
    // The newest stands first and is chosen.
    try screen.press("Enter")
    try screen.wait(for: "The text of cherry.")
    try screen.press("q")
    try screen.wait(for: "About apple")
    try bed.expect("cherry", flags: "S")
    try screen.type(":flag -x Flagged")
    try bed.expect("cherry", flags: "FS")
    try screen.press(["r", "r"])
    try screen.wait(for: "Send this email?")
    try screen.press("y")
    try bed.expectQueued(to: ["carol@example.org"])
    try bed.expect("cherry", flags: "FRS")
    try bed.expectPushed("cherry", ["\\Answered", "\\Flagged", "\\Seen"])
  }

  @Test func `a message that is deleted goes to the trash`() throws {
    let screen = try started()
    try screen.press("D")
    try screen.waitUntilGone("About cherry")
    #expect(try eventually { try bed.scenario.local("cherry") == nil })
    try bed.expectPushed("cherry", [], in: "Trash")
  }

  @Test func `search, conversation and queue are a key away`() throws {
    let screen = try started()
    try screen.press([",", "/"])
    try screen.wait(for: "mirror search:")
    try screen.type("subject:plum")
    try screen.wait(for: "About plum")
    try screen.press("q")
    try screen.waitUntilGone("About plum")
    try screen.wait(for: "About apple")
    try screen.press([",", "t"])
    // aerc 0.14 may leave a tab undrawn that a message is piped to, until something else happens.
    if try !eventually(limit: 5, { try screen.text.contains("The text of cherry.") }) {
      try screen.resize(columns: 100)
    }
    try screen.wait(for: "The text of cherry.")
  }

  @Test func `checking for mail pushes and pulls`() throws {
    let screen = try started()
    try screen.type(":flag -x Flagged")
    try bed.expect("cherry", flags: "F")
    try bed.scenario.append(["fresh"])
    try screen.press([",", "s"])
    try screen.wait(for: "Test fresh")
    // aerc checks when it starts, too: that check may bring the new message, and another is not begun beside it.
    #expect(
      try eventually {
        let count = try bed.scenario.client.messages(in: "INBOX").count {
          $0.flags.contains("\\Flagged")
        }
        if count == 0 {
          try screen.press([",", "s"])
          pause(2)
        }
        return count == 1
      })
  }

  @Test func `addresses are completed from the mail`() throws {
    try writeFile(bed.home + "/bin/answer", "#!/bin/sh\nexec sleep 300\n", mode: 0o755)
    let screen = try started()
    try screen.press("C")
    try screen.wait(for: "New email")
    try screen.press("carol")
    try screen.wait(for: "carol@example.org>")
  }
}
