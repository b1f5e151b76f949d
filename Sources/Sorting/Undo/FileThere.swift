import Foundation
import Maildir

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One small file of ours, replaced whole and durably.
enum FileThere {
  static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// What the name of a file ends with that is not whole yet.
  static let unfinished = ".new"

  static func replace(_ path: String, with bytes: Data) throws(MaildirError) {
    let temporary = path + unfinished
    let raw = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard raw >= 0 else { throw .failed("open", temporary) }
    do throws(MaildirError) {
      try write(bytes, to: Descriptor(raw), path: temporary)
      guard rename(temporary, path) == 0 else { throw .failed("rename", path) }
    } catch {
      unlink(temporary)
      throw error
    }
    try syncDirectory(of: path)
  }

  static func remove(_ path: String) throws(MaildirError) {
    guard unlink(path) == 0 || errno == ENOENT else {
      throw .failed("unlink", path)
    }
    try syncDirectory(of: path)
  }

  private static func syncDirectory(of path: String) throws(MaildirError) {
    let parent = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    try Directory.open(path: parent).sync()
  }

  /// Closes the file, too.
  private static func write(_ bytes: Data, to file: consuming Descriptor, path: String)
    throws(MaildirError)
  {
    try file.write(Array(bytes), path: path)
    try file.sync(path: path)
  }
}
