#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Where a program's words go: standard output, standard error, or a test's memory.
package protocol OutputStream: Sendable {
  /// Everything, or false: the reader is gone, or the disk is full.
  func write(_ text: String) -> Bool
  /// The same of bytes, which need not be text.
  func write(_ bytes: UnsafeRawBufferPointer) -> Bool
  var isTerminal: Bool { get }
  /// Columns and rows; nil where it is no terminal.
  var size: (columns: Int, rows: Int)? { get }
}

extension OutputStream {
  package func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    write(String(decoding: bytes, as: UTF8.self))
  }
}

/// A file descriptor of the process, written without a buffer.
package struct StandardStream: OutputStream {
  private let descriptor: Int32
  package let isTerminal: Bool

  package static let output = StandardStream(descriptor: STDOUT_FILENO)
  package static let errors = StandardStream(descriptor: STDERR_FILENO)

  private init(descriptor: Int32) {
    self.descriptor = descriptor
    isTerminal = isatty(descriptor) == 1
  }

  package func write(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
  }

  package func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      #if canImport(Glibc)
        let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
      #else
        let count = Darwin.write(descriptor, rest.baseAddress, rest.count)
      #endif
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&wait, 1, 1000)
        continue
      }
      guard count > 0 else { return false }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    return true
  }

  /// Whoever reads it is gone, as head(1) is once it has enough: that wants no words.
  package var readerIsGone: Bool {
    var output = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&output, 1, 0) > 0 && output.revents & Int16(POLLERR) != 0
  }

  package var size: (columns: Int, rows: Int)? {
    guard isTerminal else { return nil }
    var window = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0 else {
      return (80, 24)
    }
    return (Int(window.ws_col), max(2, Int(window.ws_row)))
  }
}
