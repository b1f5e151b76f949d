import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

enum MountTable {
  /// Another disk below a directory: it is no part of the tree, and would be emptied with it.
  static func mount(inside path: String) -> String? {
    // stat(2) says that it has 0 bytes: read to the end.
    guard let file = FileHandle(forReadingAtPath: "/proc/self/mountinfo"),
      let bytes = try? file.readToEnd(), let real = realpath(path, nil)
    else { return nil }
    defer { free(real) }
    let table = String(decoding: bytes, as: UTF8.self)
    var prefix = String(cString: real) + "/"
    // As proc_pid_mountinfo(5) writes them, the backslash first.
    for (byte, code) in [("\\", "134"), (" ", "040"), ("\t", "011"), ("\n", "012")] {
      prefix = prefix.replacingOccurrences(of: byte, with: "\\" + code)
    }
    return table.split(separator: "\n").lazy.compactMap { line -> String? in
      let fields = line.split(separator: " ")
      return fields.count > 4 && fields[4].hasPrefix(prefix) ? String(fields[4]) : nil
    }.first
  }
}
