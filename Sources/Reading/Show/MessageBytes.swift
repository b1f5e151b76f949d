import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The bytes of a message's file, read whole, so that nobody can cut them off meanwhile.
package struct MessageBytes: Sendable {
  package let bytes: [UInt8]
  /// Where they were found at last.
  package let path: FileBytes
  private static let limit = 1 << 31  // bytes

  /// Reads the first of these files that is there.
  ///
  /// A mail reader renames files as it sets flags: what is gone under its name is looked for under the same name with
  /// other flags, in `cur` and `new` of its folder.
  ///
  /// - Parameter limit: bytes that are enough; nil for the whole file.
  package static func load(
    _ paths: [FileBytes], limit: Int? = nil
  ) throws(MessageFileError) -> MessageBytes {
    var failure = MessageFileError.gone(paths.first?.description ?? "")
    for path in paths {
      do throws(MessageFileError) {
        return MessageBytes(bytes: try contents(path, limit), path: path)
      } catch {
        if case .unreadable = error { failure = error }
      }
    }
    for path in paths {
      guard let moved = renamed(path) else { continue }
      return MessageBytes(bytes: try contents(moved, limit), path: moved)
    }
    throw failure
  }

  private static func contents(
    _ path: FileBytes, _ enough: Int?
  ) throws(MessageFileError) -> [UInt8] {
    let file = path.withPath { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard file >= 0 else {
      throw errno == ENOENT
        ? .gone(path.description) : .unreadable(path.description, reason: errno)
    }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0 else { throw .unreadable(path.description, reason: errno) }
    guard facts.st_mode & S_IFMT == S_IFREG else {
      throw .unreadable(path.description, reason: EINVAL)
    }
    guard facts.st_size < limit else { throw .unreadable(path.description, reason: EFBIG) }
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: min(Int(facts.st_size), enough ?? .max)) {
      buffer, count in
      while count < buffer.count {
        let rest = UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
        let got = read(file, rest.baseAddress, rest.count)
        if got < 0, errno == EINTR { continue }
        if got < 0 { failure = errno }
        guard got > 0 else { break }
        count += got
      }
    }
    guard failure == 0 else { throw .unreadable(path.description, reason: failure) }
    return bytes
  }

  /// The file's path under other flags; nil where it is gone from its folder.
  private static func renamed(_ path: FileBytes) -> FileBytes? {
    let stem = stem(path.name)
    for level in ["cur", "new"] {
      let directory = path.parent.parent.appending(level)
      guard let stream = directory.withPath({ opendir($0) }) else { continue }
      defer { closedir(stream) }
      while let name = DirectoryEntry.next(stream) {
        if self.stem(name[...]) == stem { return directory.appending(name) }
      }
    }
    return nil
  }

  /// The name without its flags.
  private static func stem(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let place = name.lastIndex { ":;!".utf8.contains($0) }
    guard let place, name[place...].dropFirst().starts(with: "2,".utf8) else { return name }
    return name[..<place]
  }
}

/// Why a message's file could not be read. `reason` is an errno.
package enum MessageFileError: Error, Equatable {
  case gone(String)
  case unreadable(String, reason: Int32)
}

extension MessageFileError: Explained {
  package var explanation: Explanation {
    switch self {
    case .gone(let path):
      Explanation(
        problem: "The file “\(path)” is gone since the index was made.",
        remedy: "`mirror-index update` brings the index up to date.", exitStatus: .inPart)
    case .unreadable(let path, let reason):
      Explanation(
        problem: "The file “\(path)” cannot be read: \(String(cString: strerror(reason))).",
        remedy: nil, exitStatus: reason == EACCES ? .refused : .inPart)
    }
  }
}
