import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One account's file with tokens: readable by its owner alone, replaced whole, changed by one process at a time.
struct TokenFile: Sendable {
  let directory: String
  let account: String

  /// No account's name begins with a dot, so nothing here can be another account's file.
  var path: String { directory + "/" + account }
  private var lockPath: String { directory + "/." + account + ".lock" }
  private var newPath: String { directory + "/." + account + ".new" }

  private static let sizeLimit = 128 << 10
  /// No record is larger: see the limit of a token.
  private static let roomSize = 64 << 10

  /// What lies at ``path``.
  enum Content {
    case nothing
    /// Nothing that this version understands.
    case unknown
    case record(TokenRecord)
  }

  func read() throws(OAuthError) -> Content { try read(path) }

  private func read(_ path: String) throws(OAuthError) -> Content {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return .nothing }
      throw failure()
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure() }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .noFile(path: path) }
    guard status.st_mode & 0o077 == 0 else { throw .exposed(path: path) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16384)
    while bytes.count <= Self.sizeLimit {
      let count = systemRead(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure() }
      if count == 0 { break }
      bytes += chunk[..<count]
    }
    return TokenRecord(bytes: bytes).map { Content.record($0) } ?? .unknown
  }

  /// A place on the disk for a record, taken before anything is asked for that must not get lost.
  final class Room {
    fileprivate let descriptor: Int32
    fileprivate let path: String
    fileprivate var isUsed = false

    fileprivate init(descriptor: Int32, path: String) {
      self.descriptor = descriptor
      self.path = path
    }

    deinit {
      if !isUsed { unlink(path) }
      close(descriptor)
    }
  }

  /// Only with the lock held.
  ///
  /// - Throws: ``OAuthError/cannotKeep(path:reason:)`` where the directory or the disk takes nothing.
  func room() throws(OAuthError) -> Room {
    unlink(newPath)
    let descriptor = open(newPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure() }
    let room = Room(descriptor: descriptor, path: newPath)
    guard Self.writeAll(descriptor, [UInt8](repeating: 0, count: Self.roomSize)) else {
      throw failure()
    }
    return room
  }

  /// Replaces the file, durably. Only with the lock held.
  ///
  /// - Parameter room: what was taken for it before; once.
  func write(_ record: TokenRecord, in room: Room? = nil) throws(OAuthError) {
    let bytes: [UInt8]
    do {
      bytes = try record.bytes()
    } catch {
      throw .notEncodable(path: path)
    }
    let room = if let room { room } else { try self.room() }
    // Shorter first: a run that is killed between the two leaves no record, one killed after them a whole one.
    guard ftruncate(room.descriptor, off_t(bytes.count)) == 0,
      lseek(room.descriptor, 0, SEEK_SET) == 0, Self.writeAll(room.descriptor, bytes)
    else { throw failure() }
    try settle(room.descriptor)
    room.isUsed = true
  }

  /// Puts the new file in its place.
  private func settle(_ descriptor: Int32) throws(OAuthError) {
    guard fsync(descriptor) == 0, rename(newPath, path) == 0 else { throw failure() }
    let folder = open(directory, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
    if folder >= 0 {
      fsync(folder)
      close(folder)
    }
  }

  /// Only with the lock held.
  func remove() throws(OAuthError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw failure() }
    unlink(newPath)
  }

  /// A run that was killed while it wrote may have left a whole record beside the file: the newer of the two.
  private func takeOver() throws(OAuthError) {
    guard case .record? = try? read(newPath) else {
      unlink(newPath)
      return
    }
    let descriptor = open(newPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw failure() }
    defer { close(descriptor) }
    try settle(descriptor)
  }

  /// Waits until no other process or thread works on this account's tokens.
  ///
  /// - Throws: ``OAuthError/busy(account:)`` after `seconds`.
  func lock(seconds: Double, isCancelled: () -> Bool) throws(OAuthError) -> Lock {
    try makeDirectory()
    let descriptor = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure() }
    let lock = Lock(descriptor: descriptor)
    var waited = 0.0
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { throw failure() }
      if isCancelled() { throw .interrupted }
      guard waited < seconds else { throw .busy(account: account) }
      usleep(20_000)
      waited += 0.02
    }
    try takeOver()
    return lock
  }

  /// Held until its last reference is gone.
  final class Lock: Sendable {
    private let descriptor: Int32

    fileprivate init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
  }

  // MARK: Steps

  /// Everything below the state directory is made with it; the last one is for its owner alone.
  private func makeDirectory() throws(OAuthError) {
    var made = ""
    for part in directory.split(separator: "/") {
      made += "/" + part
      guard mkdir(made, 0o700) == 0 || errno == EEXIST || access(made, F_OK) == 0 else {
        throw .cannotKeep(path: made, reason: String(cString: strerror(errno)))
      }
    }
    guard chmod(directory, 0o700) == 0 else { throw failure() }
  }

  private static func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private func failure() -> OAuthError {
    .cannotKeep(path: path, reason: String(cString: strerror(errno)))
  }
}

// The system's, whose names the type hides.

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, buffer, count)
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int)
  -> Int
{
  read(descriptor, buffer, count)
}
