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

  static func replace(_ path: String, with bytes: Data) throws(MaildirError) {
    let temporary = path + ".new"
    let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw .failed("open", temporary) }
    var failure: MaildirError?
    var rest = bytes[...]
    while !rest.isEmpty, failure == nil {
      let written = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      if written > 0 {
        rest = rest.dropFirst(written)
      } else if errno != EINTR {
        failure = .failed("write", temporary)
      }
    }
    if failure == nil, fsync(file) != 0 {
      failure = .failed("fsync", temporary)
    }
    close(file)
    if failure == nil, rename(temporary, path) != 0 {
      failure = .failed("rename", path)
    }
    if let failure {
      unlink(temporary)
      throw failure
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
    let directory = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw .failed("open", parent) }
    defer { close(directory) }
    guard fsync(directory) == 0 else { throw .failed("fsync", parent) }
  }
}
