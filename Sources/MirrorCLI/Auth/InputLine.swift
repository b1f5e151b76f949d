#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One line of standard input, waited for with a limit. **Blocks**.
struct InputLine {
  let waitSeconds: Int
  let isCancelled: () -> Bool

  private static let limit = 16 << 10

  /// Nil at the limits, and where the run is stopped. The end of the input ends the line, too.
  func read() -> String? {
    var bytes: [UInt8] = []
    for _ in 0..<(waitSeconds * 5) {
      if isCancelled() { return nil }
      var entry = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, 200) > 0 else { continue }
      while true {
        var byte: UInt8 = 0
        let count = systemRead(0, &byte, 1)
        if count < 0, errno == EINTR { continue }
        guard count >= 0, bytes.count < Self.limit else { return nil }
        if count == 0 || byte == UInt8(ascii: "\n") {
          return String(decoding: bytes, as: UTF8.self)
        }
        bytes.append(byte)
      }
    }
    return nil
  }
}

/// The system's, whose name the type hides.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int)
  -> Int
{
  read(descriptor, buffer, count)
}
