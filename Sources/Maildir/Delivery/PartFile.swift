#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file of ours in a folder's `tmp/` that is being written.
final class PartFile {
  private(set) var name: [UInt8]
  /// It is a message by now, and no longer to be discarded.
  var isPlaced = false
  private let folder: MaildirFolder
  private let file: Descriptor
  private let path: String

  private init(name: [UInt8], folder: MaildirFolder, file: consuming Descriptor, path: String) {
    self.name = name
    self.folder = folder
    self.file = file
    self.path = path
  }

  static func create(in folder: MaildirFolder) throws(MaildirError) -> PartFile {
    for _ in 0..<16 {
      let name = TemporaryName.next()
      if let file = try folder.tmp.open(name, O_RDWR | O_CREAT | O_EXCL) {
        return PartFile(name: name, folder: folder, file: file, path: folder.tmp.path)
      }
    }
    throw .nameTaken(name: folder.tmp.path)
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(MaildirError) {
    try file.write(bytes, path: path)
  }

  func write(_ bytes: [UInt8]) throws(MaildirError) {
    try file.write(bytes, path: path)
  }

  /// Sets the date and tells what stands on disk.
  ///
  /// - Parameter modified: Unix seconds; what no file system could hold is brought into range.
  func complete(modified: Int64) throws(MaildirError) -> FileFacts {
    try complete(modifiedNanoseconds: FileTime.nanoseconds(modified))
  }

  func complete(modifiedNanoseconds: Int64) throws(MaildirError) -> FileFacts {
    try file.setModificationTime(modifiedNanoseconds, path: path)
    return try file.facts(path: path)
  }

  func setMode(_ mode: mode_t) throws(MaildirError) { try file.setMode(mode, path: path) }
  func sync() throws(MaildirError) { try file.sync(path: path) }

  /// Unlinks it; a failure leaves an orphan for the next run's cleaning.
  func discard() {
    if !isPlaced { _ = try? folder.tmp.unlink(name) }
  }

  func rename(to newName: [UInt8]) throws(MaildirError) {
    guard try folder.tmp.rename(name, to: folder.tmp, newName) else {
      throw .nameTaken(name: newName.forPeople)
    }
    name = newName
  }

  /// Another file with CRLF for every LF from `start` on, instead of this one.
  func restoringCRLF(behind start: Int) throws(MaildirError) -> PartFile {
    try copied(from: 0, upTo: start, then: start, endings: .crlf, front: [])
  }

  /// Another file with `front` instead of the first `length` bytes, instead of this one.
  func replacingFront(_ length: Int, with front: [UInt8]) throws(MaildirError) -> PartFile {
    try copied(from: length, upTo: length, then: length, endings: .lf, front: front)
  }

  /// `front`, then this file's bytes `from..<upTo` as they are, then those from `then` on with the
  /// line ends asked for.
  private func copied(
    from: Int, upTo: Int, then: Int, endings: LineEndings, front: [UInt8]
  ) throws(MaildirError) -> PartFile {
    let copy = try PartFile.create(in: folder)
    do throws(MaildirError) {
      try copy.write(front)
      try file.rewind(to: Int64(from), path: path)
      try CopyBlocks.run(from: file, path: path, limit: upTo - from) {
        bytes throws(MaildirError) in try copy.write(bytes)
      }
      try file.rewind(to: Int64(then), path: path)
      try CopyBlocks.run(from: file, path: path, endings: endings) {
        bytes throws(MaildirError) in try copy.write(bytes)
      }
    } catch {
      copy.discard()
      throw error
    }
    discard()
    return copy
  }
}

/// Unix seconds as file times have them.
enum FileTime {
  static func nanoseconds(_ seconds: Int64) -> Int64 {
    min(max(seconds, -(1 << 33)), 1 << 33) * 1_000_000_000
  }
}
