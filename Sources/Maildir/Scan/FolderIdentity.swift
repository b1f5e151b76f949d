import CFileCalls
import MailCore

/// Which directories a folder's `new` and `cur` are: others that were put in their place, by a copy or out of a backup,
/// hold what those held once. A file system may give the number of a removed directory to the next one, so the time at
/// which it was made counts, too, where that is kept.
package struct FolderIdentity: Hashable, Sendable {
  /// For the state: a hash.
  package let rawValue: Int64

  init(_ directories: [Directory]) throws(MaildirError) {
    var bytes: [UInt8] = []
    for directory in directories {
      for number in [try directory.facts().inode, UInt64(bitPattern: directory.birthTime)] {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
      }
    }
    rawValue = Int64(bitPattern: XXH3.hash(bytes))
  }
}

extension MaildirFolder {
  package func identity() throws(MaildirError) -> FolderIdentity {
    try FolderIdentity([new, cur])
  }
}
