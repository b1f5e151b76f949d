import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An open message file.
struct MessageSource: ~Copyable {
  let descriptor: Descriptor
  let facts: FileFacts
  let path: String

  /// - Parameter followsLinks: what a symbolic link leads to is meant. It is no message of ours.
  /// - Throws: `vanished` when it is not there, or a symbolic link; `badName` when it is no regular file.
  static func open(_ file: MessageFile, in folder: MaildirFolder, followsLinks: Bool = false)
    throws(MaildirError) -> MessageSource
  {
    let directory = folder.directory(of: file.subdirectory)
    let opened: Descriptor?
    do throws(MaildirError) {
      opened = try directory.open(file.name, followsLinks ? O_RDONLY : O_RDONLY | O_NOFOLLOW)
    } catch {
      if case .system(_, _, ELOOP) = error { throw .vanished(name: file.description) }
      throw error
    }
    guard let descriptor = opened else { throw .vanished(name: file.description) }
    let path = directory.path + "/" + file.name.forPeople
    let facts = try descriptor.facts(path: path)
    guard facts.isRegularFile else { throw .badName(path) }
    return MessageSource(descriptor: descriptor, facts: facts, path: path)
  }

  private init(descriptor: consuming Descriptor, facts: FileFacts, path: String) {
    self.descriptor = descriptor
    self.facts = facts
    self.path = path
  }

  /// The first bytes, as many as there are up to `limit`.
  func head(_ limit: Int) throws(MaildirError) -> [UInt8] {
    try descriptor.rewind(to: 0, path: path)
    var bytes = [UInt8](repeating: 0, count: Int(min(UInt64(limit), facts.size)))
    var failure: MaildirError?
    let count = bytes.withUnsafeMutableBytes { buffer in
      do throws(MaildirError) {
        return try descriptor.read(into: buffer, path: path)
      } catch {
        failure = error
        return 0
      }
    }
    if let failure { throw failure }
    bytes.removeSubrange(count...)
    return bytes
  }

  /// The stored bytes from `start` on, in blocks.
  func blocks(
    from start: Int, endings: LineEndings = .lf,
    _ body: (UnsafeRawBufferPointer) throws(MaildirError) -> Void
  ) throws(MaildirError) {
    try descriptor.rewind(to: Int64(start), path: path)
    try CopyBlocks.run(from: descriptor, path: path, endings: endings, body)
  }

  /// The size that the stored bytes would have if every line ended in CRLF.
  func sizeWithCRLF() throws(MaildirError) -> UInt64 {
    var size = facts.size
    var last: UInt8 = 0
    try blocks(from: 0) { bytes in
      for byte in bytes {
        if byte == ASCII.lf, last != ASCII.cr { size += 1 }
        last = byte
      }
    }
    return size
  }

  func copy(to part: PartFile, from start: Int = 0) throws(MaildirError) {
    try blocks(from: start) { bytes throws(MaildirError) in try part.write(bytes) }
  }
}
