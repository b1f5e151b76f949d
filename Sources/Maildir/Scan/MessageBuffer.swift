#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Memory that message files are read into, one after the other.
///
/// A copy and not a map, because a file that another program cuts short under a map ends the
/// process.
package struct MessageBuffer: ~Copyable {
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 64)
  private var filled = 0

  /// Files from this size on are refused.
  package static let largest = UInt64(Int32.max)
  /// What is kept from one message to the next.
  private static let kept = 16 << 20

  package init() {}

  deinit { memory.deallocate() }

  /// The last file's bytes; valid until the next `read`.
  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: memory[..<filled])
  }

  /// Reads a whole file; nil when it is gone.
  ///
  /// - Throws: `noMessage` for what is no regular file, or too large.
  package mutating func read(_ file: MessageFile, in folder: MaildirFolder) throws(MaildirError)
    -> FileFacts?
  {
    filled = 0
    let directory = folder.directory(of: file.subdirectory)
    let path = directory.path + "/" + file.name.forPeople
    let opened: Descriptor?
    do throws(MaildirError) {
      opened = try directory.open(file.name, O_RDONLY)
    } catch {
      // A socket cannot be opened at all.
      throw FolderEntries.foreign(file, in: folder) ?? error
    }
    guard let descriptor = opened else {
      if let error = FolderEntries.foreign(file, in: folder) { throw error }
      return nil
    }
    let facts = try descriptor.facts(path: path)
    if let entry = ForeignEntry(facts) { throw .noMessage(path: path, entry) }
    // One byte more than the file has, so that one read tells the end.
    makeRoom(Int(facts.size) + 1)
    filled = try descriptor.read(into: memory, path: path, most: Int(facts.size) + 1)
    if filled > Int(facts.size) { filled = Int(facts.size) }  // grown meanwhile: as it was
    return facts
  }

  private mutating func makeRoom(_ count: Int) {
    if memory.count >= count, memory.count <= Self.kept { return }
    memory.deallocate()
    memory = .allocate(byteCount: max(count, 256 * 1024), alignment: 64)
  }
}

extension Descriptor {
  fileprivate func read(
    into buffer: UnsafeMutableRawBufferPointer, path: String, most: Int
  ) throws(MaildirError) -> Int {
    try read(
      into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(most, buffer.count)]), path: path)
  }
}
