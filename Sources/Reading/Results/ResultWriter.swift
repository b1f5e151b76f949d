import CLISupport

/// Collects results and writes them in large pieces to standard output; JSON arrays grow item by item.
package struct ResultWriter {
  private let console: Console
  let format: ResultFormat
  private var pending: [UInt8] = []
  private var count = 0
  private static let pieceSize = 1 << 16  // bytes

  package init(console: Console, format: ResultFormat) {
    self.console = console
    self.format = format
  }

  /// Nobody reads any more: the rest is not worth making.
  package var isClosed: Bool { console.hasFailed }

  /// One line of text; the caller has made it harmless.
  package mutating func line(_ text: String) {
    pending += Array(text.utf8)
    pending.append(UInt8(ascii: "\n"))
    flushIfLarge()
  }

  /// One path on a line: on a terminal made harmless, elsewhere byte for byte.
  package mutating func path(_ path: FileBytes) {
    if console.outputIsTerminal { return line(path.description.readable) }
    pending += path.bytes
    pending.append(UInt8(ascii: "\n"))
    flushIfLarge()
  }

  /// One item of the document, or one line, as the format says; nothing with other formats.
  package mutating func item(_ value: JSONValue) {
    switch format {
    case .json:
      pending += Array((count == 0 ? "[\n" : ",\n").utf8)
      value.write(into: &pending)
    case .jsonl:
      value.write(into: &pending)
      pending.append(UInt8(ascii: "\n"))
    case .text, .paths, .ids, .maildir: return
    }
    count += 1
    flushIfLarge()
  }

  /// Ends the document and writes what is left.
  package mutating func end() {
    if format == .json { pending += Array((count == 0 ? "[]\n" : "\n]\n").utf8) }
    flush()
  }

  private mutating func flushIfLarge() {
    if pending.count >= Self.pieceSize { flush() }
  }

  private mutating func flush() {
    guard !pending.isEmpty else { return }
    pending.withUnsafeBytes { console.printResult($0) }
    pending.removeAll(keepingCapacity: true)
  }
}
