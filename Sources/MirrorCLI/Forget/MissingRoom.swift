import Foundation
import MailCore
import MailIndex
import Maildir
import Sorting

/// A full disk must not keep an account from being removed, which makes room: what a removal writes needs less than the
/// index, and that is made anew at its end anyway.
enum MissingRoom {
  /// Less than that (bytes) is no room: the memory that state.db shares, some directories and small files.
  private static let least: UInt64 = 1 << 20

  static func isCause(of error: any Error, root: String) -> Bool {
    switch error {
    case MaildirError.noSpace, MaildirError.overQuota, IndexError.diskFull: true
    case ForgetError.unfinished: isFull(root)
    case is ForgetError, is SelectionError, is SortingError: false
    // SQLite, and the system where it writes the configuration, say no more of it.
    default: error is any Explained && isFull(root)
    }
  }

  /// - Returns: false where there is nothing to give up.
  static func make(root: String) throws(IndexError) -> Bool { try IndexUpdater.remove(root: root) }

  private static func isFull(_ root: String) -> Bool {
    let facts = try? FileManager.default.attributesOfFileSystem(forPath: root)
    return (facts?[.systemFreeSize] as? NSNumber).map { $0.uint64Value < least } ?? false
  }
}
