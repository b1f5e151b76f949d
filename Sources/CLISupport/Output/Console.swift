import Synchronization

/// Both output streams of a program, and the panel that is redrawn in place below what was printed.
///
/// Lines of several runs may come from several threads; each comes out whole, and the panel stays at the bottom.
package final class Console: Sendable {
  private struct State {
    var panel: [String] = []
    /// How many lines of the panel stand on the terminal now.
    var drawn = 0
    var hasFailed = false
  }

  private let output: any OutputStream
  private let errors: any OutputStream
  private let state = Mutex(State())

  package init(
    output: any OutputStream = StandardStream.output,
    errors: any OutputStream = StandardStream.errors
  ) {
    self.output = output
    self.errors = errors
  }

  package var outputIsTerminal: Bool { output.isTerminal }
  package var errorsAreTerminal: Bool { errors.isTerminal }
  package var outputSize: (columns: Int, rows: Int)? { output.size }
  package var errorSize: (columns: Int, rows: Int)? { errors.size }

  /// A result could not be written whole: a full disk, or a reader that is gone.
  package var hasFailed: Bool { state.withLock { $0.hasFailed } }

  /// Prints `text` to standard output; it ends with a line feed.
  package func printResult(_ text: String) {
    var text = text
    text.withUTF8 { printResult(UnsafeRawBufferPointer($0)) }
  }

  /// Writes bytes to standard output as they are.
  package func printResult(_ bytes: UnsafeRawBufferPointer) {
    state.withLock { state in
      if output.isTerminal { erase(&state) }
      if !output.write(bytes) { state.hasFailed = true }
      if output.isTerminal { draw(&state) }
    }
  }

  /// Prints one line, or several, to standard error.
  package func printMessage(_ text: String) {
    state.withLock { state in
      erase(&state)
      _ = errors.write(text + "\n")
      draw(&state)
    }
  }

  /// Replaces the panel. The lines must fit the terminal's width. Nothing where standard error is no terminal.
  package func show(panel: [String]) {
    guard errors.isTerminal else { return }
    state.withLock { state in
      let height = (errors.size?.rows ?? 24) - 1
      state.panel = Array(panel.prefix(height))
      draw(&state)
    }
  }

  /// Moves to the panel's first line and clears from there on.
  private func erase(_ state: inout State) {
    guard state.drawn > 0 else { return }
    _ = errors.write("\u{1B}[\(state.drawn)A\r\u{1B}[J")
    state.drawn = 0
  }

  /// In one write, so that nothing flickers.
  private func draw(_ state: inout State) {
    guard errors.isTerminal else { return }
    var text = state.drawn > 0 ? "\u{1B}[\(state.drawn)A\r" : ""
    for line in state.panel { text += line + "\u{1B}[K\n" }
    if state.drawn > state.panel.count { text += "\u{1B}[J" }
    state.drawn = state.panel.count
    if !text.isEmpty { _ = errors.write(text) }
  }
}
