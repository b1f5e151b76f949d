import MailCore

// Its `environ` is a variable that any code may change; none here does.
#if canImport(Glibc)
  @preconcurrency import Glibc
#else
  import Darwin
#endif

/// Where pages and attachments lie that other programs have open: a directory that only the user can look into, emptied of
/// what is older than a day whenever something is opened. Browsers read a page again when they are started anew.
package struct OpenedFiles {
  private let directory: SaveDirectory
  private static let day = 86_400

  /// `$XDG_RUNTIME_DIR/mirror-open`, else one in `$TMPDIR` or `/tmp` that carries the user's number.
  package init() throws { try self.init(Self.place) }

  /// - Throws: ``OpenError/directory(_:reason:)`` where the directory is another's, or open to others.
  init(_ path: String) throws {
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw OpenError.directory(path, reason: errno) }
    var facts = stat()
    // A link, or a directory that somebody else made there, is not used.
    guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR, facts.st_uid == getuid(),
      facts.st_mode & 0o077 == 0
    else { throw OpenError.directory(path, reason: EPERM) }
    Self.removeOld(in: path, now: time(nil))
    directory = try SaveDirectory(existing: path)
  }

  /// Writes a page under a name of its own, in pieces.
  ///
  /// - Returns: its path.
  package func writePage(_ pieces: (_ sink: ([UInt8]) throws -> Void) throws -> Void) throws
    -> String
  {
    let name = String(UInt64.random(in: 0 ... .max), radix: 36) + ".html"
    let path = try directory.save(as: name) { file in try pieces { try file.write($0) } }
    return Self.own(path)
  }

  /// - Returns: the path under which the bytes lie.
  func write(_ bytes: UnsafeRawBufferPointer, as name: String) throws -> String {
    Self.own(try directory.save(bytes, as: name))
  }

  /// The directory keeps others out already.
  private static func own(_ path: String) -> String {
    chmod(path, 0o600)
    return path
  }

  private static var place: String {
    if let runtime = variable("XDG_RUNTIME_DIR") { return runtime + "/mirror-open" }
    return (variable("TMPDIR") ?? "/tmp") + "/mirror-open-\(getuid())"
  }

  private static func variable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee == CChar(UInt8(ascii: "/")) else { return nil }
    return String(cString: value)
  }

  private static func removeOld(in path: String, now: time_t) {
    guard let stream = opendir(path) else { return }
    defer { closedir(stream) }
    while let name = DirectoryEntry.next(stream) {
      let file = FileBytes(path).appending(name)
      file.withPath { path in
        var facts = stat()
        guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return }
        #if canImport(Glibc)
          let modified = facts.st_mtim.tv_sec
        #else
          let modified = facts.st_mtimespec.tv_sec
        #endif
        if modified < now - day { unlink(path) }
      }
    }
  }

  /// Gives the file to the desktop, which chooses the program; waits for that choice and no longer.
  func show(_ path: String) throws(OpenError) {
    #if os(macOS)
      let program = "open"
      let environment = _NSGetEnviron().pointee
    #else
      let program = "xdg-open"
      let environment = environ
    #endif
    var child = pid_t()
    let arguments: [UnsafeMutablePointer<CChar>?] = [strdup(program), strdup(path), nil]
    defer { for argument in arguments { free(argument) } }
    guard posix_spawnp(&child, program, nil, nil, arguments, environment) == 0 else {
      throw .noProgram(program)
    }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    let code = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    // A shell that finds no such program.
    if code == 127 { throw .noProgram(program) }
    if code != 0 { throw .failed(program, code) }
  }
}
