#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What another program hands over on standard input.
enum StandardInput {
  private static let most = 64 << 20  // bytes

  /// Up to its end; what is beyond 64 MiB is left.
  static func all() -> [UInt8] {
    var bytes: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 64 << 10)
    while bytes.count < most {
      let count = room.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += room[..<count]
    }
    return bytes
  }
}
