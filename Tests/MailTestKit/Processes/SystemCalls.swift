#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Repeats a call that a signal interrupted.
@discardableResult
func retrying(_ name: String, _ call: () -> Int) throws -> Int {
  while true {
    let result = call()
    if result >= 0 { return result }
    if errno != EINTR { throw KitError.system(name, errno) }
  }
}

func errorText(_ code: Int32) -> String { strerror(code).map { String(cString: $0) } ?? "?" }

/// Seconds on the monotonic clock.
package func monotonicSeconds() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}

package func pause(_ seconds: Double) {
  guard seconds > 0 else { return }
  usleep(UInt32(seconds * 1e6))
}

/// Writes all bytes of a file, made with the mode given.
package func writeFile(_ path: String, _ bytes: [UInt8], mode: UInt32 = 0o600) throws {
  let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode_t(mode))
  guard file >= 0 else { throw KitError.system("open \(path)", errno) }
  defer { close(file) }
  try writeAll(file, bytes)
}

package func writeFile(_ path: String, _ text: String, mode: UInt32 = 0o600) throws {
  try writeFile(path, Array(text.utf8), mode: mode)
}

func writeAll(_ file: Int32, _ bytes: [UInt8]) throws {
  try bytes.withUnsafeBytes { buffer in
    var done = 0
    while done < buffer.count {
      done += try retrying("write") { write(file, buffer.baseAddress! + done, buffer.count - done) }
    }
  }
}

/// The whole file, in memory.
package func readFile(_ path: String) throws -> [UInt8] {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { throw KitError.system("open \(path)", errno) }
  defer { close(file) }
  return try readAll(file)
}

func readAll(_ file: Int32) throws -> [UInt8] {
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 65536)
  while true {
    let count = try retrying("read") { read(file, &chunk, chunk.count) }
    if count == 0 { return bytes }
    bytes.append(contentsOf: chunk[..<count])
  }
}

package func makeDirectory(_ path: String, mode: UInt32 = 0o755) throws {
  if mkdir(path, mode_t(mode)) == 0 || errno == EEXIST { return }
  guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
    throw KitError.system("mkdir \(path)", errno)
  }
  try makeDirectory(String(path[..<slash]), mode: mode)
  try makeDirectory(path, mode: mode)
}

package func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

/// Names in a directory, without `.` and `..`, sorted; empty where there is no such directory.
package func names(in directory: String) -> [String] {
  guard let stream = opendir(directory) else { return [] }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if name != "." && name != ".." { names.append(name) }
  }
  return names.sorted()
}

package func isDirectory(_ path: String) -> Bool {
  var status = stat()
  return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}
