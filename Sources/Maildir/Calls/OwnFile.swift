#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Small files of ours beside the mail: replaced whole, or not at all.
enum OwnFile {
  /// The file's bytes; nil when there is none.
  ///
  /// - Throws: `badName` for a file over the limit or one that is no regular file.
  static func read(_ name: some FileName, in directory: Directory, atMost limit: Int)
    throws(MaildirError) -> [UInt8]?
  {
    guard let file = try directory.open(name, O_RDONLY) else { return nil }
    let path = directory.path + "/" + name.forPeople
    let facts = try file.facts(path: path)
    guard facts.isRegularFile, facts.size <= UInt64(limit) else { throw .badName(path) }
    var failure: MaildirError?
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      do throws(MaildirError) {
        count = try file.read(into: UnsafeMutableRawBufferPointer(buffer), path: path)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  static func write(_ bytes: [UInt8], to name: String, in directory: Directory, fsync: Bool)
    throws(MaildirError)
  {
    let temporary = name + ".mirror-new"
    let path = directory.path + "/" + name
    guard let file = try directory.open(temporary, O_WRONLY | O_CREAT | O_TRUNC) else {
      throw .vanished(name: temporary)
    }
    do throws(MaildirError) {
      try file.write(bytes, path: path)
      if fsync { try file.sync(path: path) }
    } catch {
      try directory.unlink(temporary)
      throw error
    }
    try directory.replace(name, with: temporary, of: directory)
    if fsync { try directory.sync() }
  }
}
