import MailTestKit
import Testing

/// mu4e with `contrib/readers/mu4e`, in Emacs in a terminal.
@Suite(
  .onBlockingThreads, .triedAgain, .enabled(if: Readers.hasScreen && Readers.hasMu4e))
struct Mu4eTests {
  private let bed: ReaderBed

  init() throws {
    bed = try ReaderBed()
    let outcome = try bed.shell(
      "printf 'Subject: waits\\nTo: bob@example.org\\n\\nx\\n' | mirror sendmail -t"
        + " && mu init --maildir=$HOME/Mail --my-address=alice@example.org && mu index --nocolor")
    try #require(outcome.status == 0, "\(outcome.summary)")
  }

  /// - Parameter renames: a file that is moved gets a new name, as mu4e's own manual advises.
  private func started(renames: Bool = false) throws -> TerminalScreen {
    let screen = try bed.screen(
      "emacs", "-nw", "-q", "-l", "\(ReaderBed.contrib)/readers/mu4e/mirror-mu4e.el", "--eval",
      "(setq mu4e-change-filenames-when-moving \(renames ? "t" : "nil"))", "-f", "mu4e")
    try screen.wait(for: "/personal/INBOX", limit: 90)
    try screen.press(["j", "i"])
    try screen.wait(for: "About cherry")
    return screen
  }

  @Test func `the index holds the mail and nothing of ours`() throws {
    let found = try bed.shell("mu find --fields m --skip-dups=false ''")
    #expect(
      found.outputText.split(separator: "\n").sorted()
        == Array(repeating: "/personal/INBOX", count: 3) + ["/personal/Lists/swift"])
  }

  @Test func `a message is read, flagged and answered`() throws {
    _ = try bed.shell("mirror outbox discard $(mirror outbox | cut -c1-13)")
    let screen = try started()
    try screen.press("Enter")
    try screen.wait(for: "The text of ")
    let token = try #require(
      try ReaderBed.tokens.first { try screen.text.contains("The text of \($0).") })
    try bed.expect(token, flags: "S")
    try screen.press("q")
    try screen.waitUntilGone("The text of")
    try screen.press(["+", "x"])
    try screen.wait(for: "Are you sure")
    try screen.press("y")
    try bed.expect(token, flags: "FS")
    // Executing marks goes on to the next message.
    try screen.press(["M-<", "R"])
    try screen.wait(for: "Re: About \(token)")
    try screen.wait(for: "text follows this line")
    try screen.press("This is my answer.")
    try screen.press(["C-c", "C-c"])
    try bed.expectQueued(to: ["carol@example.org"])
    try bed.expect(token, flags: "FRS")
    #expect(try eventually { try bed.mirror.tree()["Drafts"].isEmpty })
    try bed.expectPushed(token, ["\\Answered", "\\Flagged", "\\Seen"])
  }

  @Test(arguments: [false, true])
  func `a message that is trashed is moved, and no more`(renames: Bool) throws {
    let names = try bed.mirror.tree()["INBOX"].map(\.base)
    let screen = try started(renames: renames)
    try screen.press(["M-<", "d", "x"])
    try screen.wait(for: "Are you sure")
    try screen.press("y")
    #expect(try eventually { try bed.mirror.tree()["Trash"].count == 1 })
    let trashed = try #require(try bed.mirror.tree()["Trash"].first)
    #expect(trashed.flags == "", "no T, which would be \\Deleted")
    #expect(names.contains(trashed.base) == !renames, "\(trashed.base)")
    let token = try #require(
      ReaderBed.tokens.first { String(decoding: trashed.raw, as: UTF8.self).contains($0) })
    try bed.expectPushedAsMove(token, to: "Trash")
  }

  @Test func `U pushes, pulls and indexes`() throws {
    let screen = try started()
    try bed.scenario.append(["fresh"])
    _ = try bed.shell("mirror outbox discard $(mirror outbox | cut -c1-13)")
    try screen.press(["q", "U"])
    #expect(try eventually { try bed.scenario.local("fresh") != nil })
    #expect(
      try eventually {
        try bed.shell("mu find --nocolor subject:fresh 2>/dev/null").outputText.contains("fresh")
      })
  }
}
