import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Where everything the tests write lies: on tmpfs where there is one, so that syncs cost little.
package enum Scratch {
  /// Removed when the test process has ended, in whatever way.
  package static let base: String = {
    let process = getpid()
    let parent =
      ProcessInfo.processInfo.environment["MIRROR_TEST_DIR"]
      ?? (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")
    let path = "\(parent)/mirror-tests-\(process)"
    try? makeDirectory(path, mode: 0o755)
    cleaner = try? Supervised([], removing: path)
    return path
  }()

  /// Set once, inside `base`'s initialiser.
  nonisolated(unsafe) private static var cleaner: Supervised?
}

/// A directory of one test, removed with the last reference to it.
package final class TemporaryDirectory: Sendable {
  package let path: String

  package init(_ name: String = "test") throws {
    path = "\(Scratch.base)/\(name)-\(UInt64.random(in: 0...UInt64.max))"
    try makeDirectory(path, mode: 0o755)
  }

  deinit { removeTree(path) }
}

/// `rm -rf`, without following links.
package func removeTree(_ path: String) {
  if isDirectory(path) {
    for name in names(in: path) { removeTree(path + "/" + name) }
    rmdir(path)
  } else {
    unlink(path)
  }
}
