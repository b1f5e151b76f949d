import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The bytes of a small file and its permission bits, both of the same open file.
struct PrivateFile {
  let bytes: [UInt8]
  let mode: UInt32

  /// Group or others may read it.
  var isExposed: Bool { mode & 0o044 != 0 }

  init(path: String, limit: Int) throws(SettingsError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else {
      throw errno == ENOENT
        ? .missingFile(path) : .unreadableFile(path, reason: Self.reason(errno))
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw .unreadableFile(path, reason: Self.reason(errno))
    }
    if status.st_mode & S_IFMT == S_IFDIR {
      throw .unreadableFile(path, reason: "it is a directory")
    }
    mode = UInt32(status.st_mode) & 0o7777
    bytes = try Self.readAll(descriptor, path: path, limit: limit)
  }

  private static func readAll(_ descriptor: Int32, path: String, limit: Int)
    throws(SettingsError) -> [UInt8]
  {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16384)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .unreadableFile(path, reason: reason(errno)) }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
      guard bytes.count <= limit else { throw .tooLarge(path, limit: limit) }
    }
  }

  private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
