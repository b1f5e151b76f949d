import CLISupport
import MailCore
import MailIndex
import Synchronization

/// Shows how far a run of the indexer is: a line at the bottom of the terminal, lines in a log, or events.
final class IndexProgressView: Sendable {
  enum Style: Sendable { case panel, lines, events, none }

  private struct State {
    var phase: IndexProgress.Phase?
    var began = 0.0
    var told = -1.0
  }

  private let report: Report
  private let style: Style
  private let state = Mutex(State())
  private static let start = ContinuousClock.now

  /// - Parameter isForced: `--progress`: also where standard error is no terminal.
  init(_ report: Report, isForced: Bool) {
    self.report = report
    let isTerminal = report.console.errorsAreTerminal
    if report.isQuiet || !(isTerminal || isForced) {
      style = .none
    } else if isForced, report.format == .jsonl {
      style = .events
    } else {
      style = isTerminal ? .panel : .lines
    }
  }

  /// Called from any thread.
  func show(_ progress: IndexProgress) {
    guard style != .none else { return }
    let now = Self.start.duration(to: .now) / .seconds(1)
    let elapsed = state.withLock { state -> Double? in
      let isNew = state.phase != progress.phase
      if isNew {
        state.phase = progress.phase
        state.began = now
      }
      let isLast = progress.total > 0 && progress.done == progress.total
      guard isNew || isLast || now - state.told >= interval else { return nil }
      state.told = now
      return now - state.began
    }
    guard let elapsed else { return }
    let text = Self.text(progress, elapsed: elapsed)
    switch style {
    case .panel: report.console.show(panel: [text])
    case .lines: report.console.printMessage(text)
    case .events: report.console.printResult(Self.event(progress).text + "\n")
    case .none: break
    }
  }

  /// Takes the panel away.
  func end() {
    if style == .panel { report.console.show(panel: []) }
  }

  private var interval: Double { style == .lines ? 5 : 0.1 }  // seconds

  static func text(_ progress: IndexProgress, elapsed: Double) -> String {
    guard progress.total > 0 else { return "index: " + words(progress.phase) }
    let start = "index: \(words(progress.phase))  \(progress.done) of \(progress.total)"
    guard progress.done > 0, progress.done < progress.total, elapsed >= 1 else { return start }
    let left = elapsed / Double(progress.done) * Double(progress.total - progress.done)
    return start + "  \(Quantities.seconds(left)) left"
  }

  private static func event(_ progress: IndexProgress) -> JSONValue {
    .object([
      "event": .string("progress"), "phase": .string(words(progress.phase)),
      "done": .integer(Int64(progress.done)), "total": .integer(Int64(progress.total)),
    ])
  }

  private static func words(_ phase: IndexProgress.Phase) -> String {
    switch phase {
    case .looking: "looking"
    case .reading: "reading"
    case .removing: "removing"
    case .finishing: "finishing"
    }
  }
}
