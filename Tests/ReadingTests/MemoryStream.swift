import CLISupport
import Synchronization

@testable import Reading

/// Keeps what is written, as a terminal or as a file.
final class MemoryStream: OutputStream {
  private let bytes = Mutex<[UInt8]>([])
  let size: (columns: Int, rows: Int)?

  /// As a disk without room.
  let isFull: Bool

  init(columns: Int? = nil, isFull: Bool = false) {
    size = columns.map { ($0, 24) }
    self.isFull = isFull
  }

  var isTerminal: Bool { size != nil }

  func write(_ text: String) -> Bool {
    bytes.withLock { $0 += Array(text.utf8) }
    return true
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if isFull { return false }
    self.bytes.withLock { $0 += Array(bytes) }
    return true
  }

  var written: [UInt8] { bytes.withLock { $0 } }
  var text: String { String(decoding: written, as: UTF8.self) }
  var lines: [String] { text.split(separator: "\n").map(String.init) }
}

/// A command's session over a sample tree, with both streams kept.
struct SampleSession {
  let session: ReadingSession
  let output: MemoryStream
  let errors: MemoryStream

  init(_ tree: SampleTree, format: ResultFormat = .text, columns: Int? = nil, isFull: Bool = false)
    throws
  {
    output = MemoryStream(columns: columns, isFull: isFull)
    errors = MemoryStream()
    let options = try ReadingOptions.parse(["--root", tree.root])
    session = try ReadingSession(
      options, format: format, console: Console(output: output, errors: errors))
  }
}
