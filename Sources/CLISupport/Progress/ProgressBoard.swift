import MailCore
import Synchronization

/// Collects how far each mailbox is and keeps the panel up to date, at most ten times a second.
///
/// Called from connection threads: everything here is short and takes one lock.
package final class ProgressBoard: Sendable {
  package enum Style: Sendable {
    /// Redrawn in place on a terminal.
    case panel
    /// A plain line now and then, for a log.
    case lines
  }

  private struct Mailbox {
    var line: ProgressLine
    var began: Double
    var meter = RateMeter()
    var touched: Double
    var printed = -1.0
    var isDone = false
  }

  private struct State {
    var mailboxes: [String: Mailbox] = [:]
    /// In the order of their first progress.
    var order: [String] = []
    var stages: [(account: String, stage: String)] = []
    var drawn = -1.0
  }

  private let console: Console
  private let style: Style
  private let now: @Sendable () -> Double
  private let state = Mutex(State())
  private static let interval = 0.1  // seconds between two drawings
  private static let lineInterval = 2.0  // seconds between two lines of one mailbox
  private static let idleLimit = 3.0  // seconds after which a silent mailbox leaves the panel

  /// - Parameter now: seconds on a steady clock.
  package init(console: Console, style: Style, now: @escaping @Sendable () -> Double) {
    self.console = console
    self.style = style
    self.now = now
  }

  package func entered(_ stage: String, account: String) {
    let time = now()
    let lines = state.withLock { state -> [String]? in
      if let index = state.stages.firstIndex(where: { $0.account == account }) {
        guard state.stages[index].stage != stage else { return nil }
        state.stages[index].stage = stage
      } else {
        state.stages.append((account, stage))
      }
      return style == .lines ? ["\(account): \(stage)".visible] : panel(&state, at: time)
    }
    show(lines)
  }

  package func progressed(
    account: String, mailbox: String, messages: Int, expected: Int, bytes: Int64
  ) {
    let time = now()
    let lines = state.withLock { state -> [String]? in
      let subject = "\(account)/\(mailbox)"
      var entry = state.mailboxes[subject] ?? begin(subject, at: time, in: &state)
      entry.line.messages = messages
      entry.line.expected = expected
      entry.line.bytes = bytes
      entry.meter.note(bytes: bytes, at: time)
      entry.line.bytesPerSecond = entry.meter.bytesPerSecond
      entry.line.seconds = time - entry.began
      entry.touched = time
      defer { state.mailboxes[subject] = entry }
      guard style == .lines else {
        state.mailboxes[subject] = entry
        return panel(&state, at: time)
      }
      let isDone = expected > 0 && messages >= expected
      guard isDone ? !entry.isDone : time - entry.printed >= Self.lineInterval else { return nil }
      entry.isDone = isDone
      entry.printed = time
      return [entry.line.text(width: 200)]
    }
    show(lines)
  }

  /// The account is done: nothing of it stays on the panel.
  package func left(account: String) {
    let lines = state.withLock { state in
      state.stages.removeAll { $0.account == account }
      state.order.removeAll { $0.hasPrefix(account + "/") }
      state.mailboxes = state.mailboxes.filter { !$0.key.hasPrefix(account + "/") }
      state.drawn = -1
      return style == .panel ? panel(&state, at: now()) : nil
    }
    show(lines)
  }

  /// Takes the panel away.
  package func end() {
    console.show(panel: [])
  }

  private func show(_ lines: [String]?) {
    guard let lines else { return }
    switch style {
    case .panel: console.show(panel: lines)
    case .lines: for line in lines { console.printMessage(line) }
    }
  }

  private func begin(_ subject: String, at time: Double, in state: inout State) -> Mailbox {
    state.order.append(subject)
    let line = ProgressLine(
      subject: subject, messages: 0, expected: 0, bytes: 0, bytesPerSecond: nil, seconds: 0)
    return Mailbox(line: line, began: time, touched: time)
  }

  /// Nil where the last drawing is too fresh.
  private func panel(_ state: inout State, at time: Double) -> [String]? {
    guard time - state.drawn >= Self.interval else { return nil }
    state.drawn = time
    let width = (console.errorSize?.columns ?? 80) - 1
    let stages = state.stages.filter { $0.stage != "idle" }
      .map { TextWidth.fitted("\($0.account): \($0.stage)".visible, to: width) }
    let active = state.order.compactMap { state.mailboxes[$0] }.filter { mailbox in
      time - mailbox.touched < Self.idleLimit
        && (mailbox.line.expected == 0 || mailbox.line.messages < mailbox.line.expected)
    }
    return stages + active.prefix(12).map { $0.line.text(width: width) }
  }
}
