import CFileCalls
import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file that is written under a name of its own and gets its real one when it is whole, so that nobody meets half
/// of it. What was not placed is removed.
final class NewFile {
  /// Open as long as this file is at work.
  private let parent: SaveDirectory
  private let temporary: String
  private var descriptor: Int32 = -1
  private var isPlaced = false
  private var directory: Int32 { parent.descriptor }
  private var path: String { parent.path }
  private static let mostAttempts = 100

  init(in parent: SaveDirectory) throws(SaveError) {
    self.parent = parent
    var name = ""
    for _ in 0..<Self.mostAttempts {
      name = AbandonedParts.name(getpid(), .random(in: 0 ..< .max))
      descriptor = openat(
        parent.descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
      if descriptor >= 0 || errno != EEXIST { break }
    }
    temporary = name
    guard descriptor >= 0 else { throw .cannotWrite(parent.path, reason: errno) }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if !isPlaced { unlinkat(directory, temporary, 0) }
  }

  func write(_ bytes: [UInt8]) throws(SaveError) {
    let failure = bytes.withUnsafeBytes { Self.write($0, to: descriptor) }
    if failure != 0 { throw .cannotWrite(path, reason: failure) }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(SaveError) {
    let failure = Self.write(bytes, to: descriptor)
    if failure != 0 { throw .cannotWrite(path, reason: failure) }
  }

  /// Makes it durable.
  func sync() throws(SaveError) {
    guard file_sync(descriptor) == 0 else { throw .cannotWrite(path, reason: errno) }
  }

  /// Gives it its name. False where something has that name already: it stays as it is.
  func place(as name: String) throws(SaveError) -> Bool {
    if descriptor >= 0 {
      // Some file systems tell only now that there is no room.
      let failed = close(descriptor) != 0
      descriptor = -1
      if failed { throw .cannotWrite(path + "/" + name, reason: errno) }
    }
    if file_rename_exclusive(directory, temporary, directory, name) == 0 {
      isPlaced = true
      return true
    }
    if errno == EEXIST { return false }
    guard errno == EINVAL || errno == ENOSYS || errno == ENOTSUP else {
      throw .cannotWrite(path + "/" + name, reason: errno)
    }
    // The file system cannot promise it: the name is taken first, by an empty file of ours.
    let taken = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
    if taken < 0, errno == EEXIST { return false }
    guard taken >= 0 else { throw .cannotWrite(path + "/" + name, reason: errno) }
    close(taken)
    guard renameat(directory, temporary, directory, name) == 0 else {
      let reason = errno
      unlinkat(directory, name, 0)
      throw .cannotWrite(path + "/" + name, reason: reason)
    }
    isPlaced = true
    return true
  }

  /// Returns errno, or 0.
  private static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) -> Int32 {
    var rest = bytes
    while !rest.isEmpty {
      #if canImport(Glibc)
        let count = Glibc.write(file, rest.baseAddress, rest.count)
      #else
        let count = Darwin.write(file, rest.baseAddress, rest.count)
      #endif
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return errno == 0 ? EIO : errno }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    return 0
  }
}
