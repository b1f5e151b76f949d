import CLISupport
import Synchronization
import Testing

@Suite struct ProgressBoardTests {
  private final class Clock: Sendable {
    private let seconds = Mutex(0.0)
    func advance(_ step: Double) { seconds.withLock { $0 += step } }
    var now: Double { seconds.withLock { $0 } }
  }

  private let clock = Clock()

  private func board(_ errors: MemoryStream, _ style: ProgressBoard.Style) -> ProgressBoard {
    ProgressBoard(console: Console(output: MemoryStream(), errors: errors), style: style) {
      [clock] in clock.now
    }
  }

  @Test func `the panel is drawn at most ten times a second`() {
    let terminal = MemoryStream(columns: 80)
    let board = board(terminal, .panel)
    for step in 0..<1000 {
      clock.advance(0.001)
      board.progressed(
        account: "personal", mailbox: "INBOX", messages: step, expected: 2000, bytes: Int64(step))
    }
    let drawings = terminal.text.split(separator: "\u{1B}[K\n").count
    #expect((8...10).contains(drawings), "\(drawings)")
  }

  @Test func `a mailbox leaves the panel when it is done or silent`() {
    let terminal = MemoryStream(columns: 80)
    let board = board(terminal, .panel)
    func tell(_ mailbox: String, _ messages: Int) {
      clock.advance(0.2)
      board.progressed(
        account: "personal", mailbox: mailbox, messages: messages, expected: 10, bytes: 0)
    }
    board.entered("bodies", account: "personal")
    tell("INBOX", 1)
    tell("Sent", 1)
    #expect(
      terminal.screen.map { $0.prefix(14) } == [
        "personal: bodi", "personal/INBOX", "personal/Sent ",
      ])
    tell("INBOX", 10)
    #expect(terminal.screen.count == 2)
    clock.advance(10)
    tell("Drafts", 1)
    #expect(terminal.screen.map { $0.prefix(15) } == ["personal: bodie", "personal/Drafts"])
    board.end()
    #expect(terminal.screen.isEmpty)
  }

  @Test func `a log gets plain lines now and then`() {
    let log = MemoryStream()
    let board = board(log, .lines)
    board.entered("connecting", account: "personal")
    board.entered("connecting", account: "personal")
    for step in 1...100 {
      clock.advance(0.1)
      board.progressed(
        account: "personal", mailbox: "INBOX", messages: step, expected: 100, bytes: 0)
    }
    board.progressed(
      account: "personal", mailbox: "INBOX", messages: 100, expected: 100, bytes: 0)
    let lines = log.text.split(separator: "\n")
    #expect(lines.first == "personal: connecting")
    #expect((4...7).contains(lines.count), "\(log.text)")
    #expect(lines.last?.hasPrefix("personal/INBOX  100 of 100") == true)
    #expect(!log.text.contains("\u{1B}"))
  }
}
