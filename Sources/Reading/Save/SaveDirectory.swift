import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A directory that files are saved into: each under a name that was free, and never outside of it.
package final class SaveDirectory {
  private let descriptor: Int32
  /// As the person wrote it.
  package let path: String
  private static let mostTwins = 10_000
  /// In a dry run the names given so far; nil where files are written.
  private var given: Set<String>?

  /// Opens the directory, and makes it where only its last level is missing.
  ///
  /// - Parameter isDry: nothing is made or written; `save` tells the path all the same.
  package init(_ path: String, isDry: Bool = false) throws(SaveError) {
    self.path = path
    given = isDry ? [] : nil
    if isDry {
      descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 || errno == ENOENT else { throw .cannotOpen(path, reason: errno) }
      return
    }
    if mkdir(path, 0o777) != 0, errno != EEXIST { throw .cannotOpen(path, reason: errno) }
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .cannotOpen(path, reason: errno) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Writes the bytes under `name`, or under `name (2)` … where that is taken.
  ///
  /// - Parameter name: safe already, see ``SafeFileName``.
  /// - Returns: the path that was written, below ``path``.
  package func save(_ bytes: UnsafeRawBufferPointer, as name: String) throws(SaveError) -> String {
    for number in 1...Self.mostTwins {
      let name = SafeFileName.numbered(name, number)
      guard !name.contains("/"), name != ".", name != ".." else { break }
      if given != nil {
        if isFree(name) { return path + "/" + name }
        continue
      }
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
      let file = openat(descriptor, name, flags, 0o666)
      if file < 0 {
        if errno == EEXIST { continue }
        throw .cannotWrite(path + "/" + name, reason: errno)
      }
      let failure = Self.write(bytes, to: file)
      if failure != 0 {
        unlinkat(descriptor, name, 0)
        throw .cannotWrite(path + "/" + name, reason: failure)
      }
      return path + "/" + name
    }
    throw .cannotWrite(path + "/" + name, reason: EEXIST)
  }

  /// For dry runs: whether nothing has the name yet; then it is given.
  private func isFree(_ name: String) -> Bool {
    var facts = stat()
    if descriptor >= 0, fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 { return false }
    return given?.insert(name).inserted ?? false
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
      guard count > 0 else {
        let reason = errno
        close(file)
        return reason == 0 ? EIO : reason
      }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    return close(file) == 0 ? 0 : errno
  }
}

/// Why an attachment could not be saved. `reason` is an errno.
package enum SaveError: Error, Equatable {
  case cannotOpen(String, reason: Int32)
  case cannotWrite(String, reason: Int32)
}

extension SaveError: Explained {
  package var explanation: Explanation {
    switch self {
    case .cannotOpen(let path, let reason):
      Explanation(
        problem: "The directory “\(path)” cannot be used: \(String(cString: strerror(reason))).",
        remedy: "Name one that exists, or whose parent does, and that you may write to.",
        exitStatus: reason == EACCES || reason == EROFS ? .refused : .usage)
    case .cannotWrite(let path, let reason):
      Explanation(
        problem: "“\(path)” could not be written: \(String(cString: strerror(reason))).",
        remedy: nil, exitStatus: .inPart)
    }
  }
}
