import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

enum MountTable {
  /// Another disk below a directory: it is no part of the tree, and would be emptied with it.
  static func mount(inside path: String) -> String? {
    guard let table = try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8),
      let real = realpath(path, nil)
    else { return nil }
    defer { free(real) }
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
