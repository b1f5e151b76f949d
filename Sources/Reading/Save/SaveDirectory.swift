import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A directory that files are saved into: each under a name that was free, and never outside of it.
package final class SaveDirectory {
  let descriptor: Int32
  /// As the person wrote it.
  package let path: String
  private static let mostTwins = 10_000
  /// In a dry run the names given so far; nil where files are written.
  private var given: Set<String>?
  private var isCleaned = false

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

  /// Opens a directory that is there, to write into.
  package init(existing path: String) throws(SaveError) {
    self.path = path
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .cannotOpen(path, reason: errno) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Writes the bytes under `name`, or under `name (2)` … where that is taken: under a name of their own until they are
  /// all there.
  ///
  /// - Parameter name: safe already, see ``SafeFileName``.
  /// - Returns: the path that was written, below ``path``.
  package func save(_ bytes: UnsafeRawBufferPointer, as name: String) throws(SaveError) -> String {
    let file = given == nil ? try newFile() : nil
    try file?.write(bytes)
    return try place(file, as: name)
  }

  /// The same of bytes that come piece by piece.
  func save(as name: String, pieces: (NewFile) throws -> Void) throws -> String {
    let file = try newFile()
    try pieces(file)
    return try place(file, as: name)
  }

  private func place(_ file: NewFile?, as name: String) throws(SaveError) -> String {
    guard !name.contains("/"), name != ".", name != ".." else {
      throw .cannotWrite(path + "/" + name, reason: EINVAL)
    }
    for number in 1...Self.mostTwins {
      let name = SafeFileName.numbered(name, number)
      if try file?.place(as: name) ?? isFree(name) { return path + "/" + name }
    }
    throw .cannotWrite(path + "/" + name, reason: EEXIST)
  }

  /// A file in this directory that has no name to speak of yet.
  func newFile() throws(SaveError) -> NewFile {
    if !isCleaned { AbandonedParts.remove(from: descriptor) }
    isCleaned = true
    return try NewFile(in: self)
  }

  func has(_ name: String) -> Bool {
    var facts = stat()
    return descriptor >= 0 && fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) == 0
  }

  /// For dry runs: whether nothing has the name yet; then it is given.
  private func isFree(_ name: String) -> Bool {
    !has(name) && given?.insert(name).inserted ?? false
  }
}

/// Why an attachment could not be saved. `reason` is an errno.
package enum SaveError: Error, Equatable {
  case cannotOpen(String, reason: Int32)
  case cannotWrite(String, reason: Int32)
  case exists(String)
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
    case .exists(let path):
      Explanation(
        problem: "“\(path)” is there already; nothing is ever replaced.",
        remedy: "Name another file, or move that one away.", exitStatus: .usage)
    }
  }
}
