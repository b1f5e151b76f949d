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

  /// Nil where there is none, or none that this version understands.
  func read() throws(OAuthError) -> TokenRecord? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw failure()
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure() }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .cannotKeep(path: path, reason: "it is no file")
    }
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
    return TokenRecord(bytes: bytes)
  }

  /// Replaces the file, durably. Only with the lock held.
  func write(_ record: TokenRecord) throws(OAuthError) {
    let bytes: [UInt8]
    do {
      bytes = try record.bytes()
    } catch {
      throw .cannotKeep(path: path, reason: "it cannot be encoded")
    }
    unlink(newPath)
    let descriptor = open(newPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure() }
    defer { close(descriptor) }
    guard Self.writeAll(descriptor, bytes), fsync(descriptor) == 0, rename(newPath, path) == 0
    else {
      let error = failure()
      unlink(newPath)
      throw error
    }
    let folder = open(directory, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
    if folder >= 0 {
      fsync(folder)
      close(folder)
    }
  }

  /// Only with the lock held.
  func remove() throws(OAuthError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw failure() }
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
