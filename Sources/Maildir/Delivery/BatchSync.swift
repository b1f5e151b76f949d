import CFileCalls

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How a batch of finished files reaches the disk before its renames.
enum BatchSync {
  /// From so many files on, one sync of the file system is cheaper than one for each file.
  static let manyFiles = 8

  /// Syncs the file systems under the directories, each once. False where there are too few files,
  /// or the system has no such call: then each file is to be synced.
  static func syncTogether(_ tmps: [Directory]) throws(MaildirError) -> Bool {
    guard tmps.count >= manyFiles else { return false }
    var seen: [ObjectIdentifier: Bool] = [:]
    var done: Set<UInt64> = []
    for tmp in tmps where seen.updateValue(true, forKey: ObjectIdentifier(tmp)) == nil {
      guard done.insert(try tmp.facts().device).inserted else { continue }
      guard retrying({ file_sync_file_system(tmp.descriptor) }) == 0 else {
        if errno == ENOSYS { return false }
        throw .failed("syncfs", tmp.path, descriptor: tmp.descriptor)
      }
    }
    return true
  }
}
