import Foundation
import MailCore
import Maildir

/// The right to watch an account: an flock that dies with the process, so that one who was killed watches no longer.
///
/// The file lies beside what this machine remembers of the tree, and not in the tree: a file that is held open all day
/// would keep a disk from being unmounted. Its words are the watch's own, for `mirror status`.
package final class WatchLock: Sendable {
  private let lock: FileLock?

  private init(_ lock: FileLock?) { self.lock = lock }

  /// Says how the account is watched, in place of what was said before.
  package func write(_ words: String) { lock?.write(words) }

  /// - Throws: `MaildirError.locked` where another process watches the account.
  fileprivate static func take(_ name: String, in directory: String) throws -> WatchLock {
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let place = try Directory.open(path: directory)
    // Whoever asks whether the account is watched has the lock for a moment.
    for _ in 0..<10 {
      if let lock = try FileLock.take(name, in: place, waiting: false) { return WatchLock(lock) }
      Thread.sleep(forTimeInterval: 0.05)
    }
    throw MaildirError.locked(holder: "`mirror watch`, which watches it already")
  }

  /// For a machine on which no lock file can be written: other runs cannot tell that a watch is running.
  fileprivate static let unknown = WatchLock(nil)
}

extension TreeWitness {
  private var watchFile: (directory: String, name: String)? {
    place("watch").map { path in
      ((path as NSString).deletingLastPathComponent, (path as NSString).lastPathComponent)
    }
  }

  /// Makes this process the one that watches the account, for as long as it keeps what is returned.
  ///
  /// - Throws: `MaildirError.locked` where another does.
  package func watch() throws -> WatchLock {
    guard let (directory, name) = watchFile else { return .unknown }
    return try WatchLock.take(name, in: directory)
  }

  /// Whether some process watches the account now.
  package var isWatched: Bool {
    guard let (directory, name) = watchFile, let place = try? Directory.open(path: directory)
    else { return false }
    return FileLock.isHeld(name, in: place)
  }

  /// What the process that watches the account says of it; nil where none does.
  package var watchWords: String? {
    guard isWatched, let path = place("watch"),
      let data = FileManager.default.contents(atPath: path)
    else { return nil }
    return String(decoding: data, as: UTF8.self)
  }
}
