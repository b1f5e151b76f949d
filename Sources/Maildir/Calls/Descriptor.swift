import CFileCalls

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An open file, closed with the value's life.
package struct Descriptor: ~Copyable {
  package let raw: Int32

  package init(_ raw: Int32) { self.raw = raw }
  deinit { close(raw) }

  package func facts(path: String) throws(MaildirError) -> FileFacts {
    var status = stat()
    guard fstat(raw, &status) == 0 else { throw .failed("stat", path) }
    return FileFacts(status)
  }

  /// Writes all of the bytes.
  package func write(_ bytes: UnsafeRawBufferPointer, path: String) throws(MaildirError) {
    let left = writeAll(bytes, to: raw)
    guard left == 0 else {
      throw .failed("write", path, needed: UInt64(left), descriptor: raw)
    }
  }

  package func write(_ bytes: [UInt8], path: String) throws(MaildirError) {
    try bytes.withUnsafeBufferPointer { bytes throws(MaildirError) in
      try write(UnsafeRawBufferPointer(bytes), path: path)
    }
  }

  /// Reads until the buffer is full or the file ends; returns how many bytes.
  package func read(into buffer: UnsafeMutableRawBufferPointer, path: String) throws(MaildirError)
    -> Int
  {
    var filled = 0
    while filled < buffer.count, let start = buffer.baseAddress {
      #if canImport(Glibc)
        let count = Glibc.read(raw, start + filled, buffer.count - filled)
      #else
        let count = Darwin.read(raw, start + filled, buffer.count - filled)
      #endif
      if count < 0 {
        if errno == EINTR { continue }
        throw .failed("read", path)
      }
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  package func read(into buffer: inout [UInt8], path: String) throws(MaildirError) -> Int {
    try buffer.withUnsafeMutableBufferPointer { buffer throws(MaildirError) in
      try read(into: UnsafeMutableRawBufferPointer(buffer), path: path)
    }
  }

  func rewind(to offset: Int64, path: String) throws(MaildirError) {
    guard lseek(raw, off_t(offset), SEEK_SET) >= 0 else { throw .failed("lseek", path) }
  }

  func setModificationTime(_ nanoseconds: Int64, path: String) throws(MaildirError) {
    guard file_set_modification_time(raw, nanoseconds) == 0 else {
      throw .failed("utimensat", path, descriptor: raw)
    }
  }

  func setMode(_ mode: mode_t, path: String) throws(MaildirError) {
    guard fchmod(raw, mode) == 0 else { throw .failed("chmod", path, descriptor: raw) }
  }

  /// - Throws: also what an earlier write could not bring to the disk.
  package func sync(path: String) throws(MaildirError) {
    guard retrying({ file_sync(raw) }) == 0 else { throw .failed("fsync", path, descriptor: raw) }
  }
}

/// Writes all of the bytes to an open file; returns how many it could not write, for the reason in `errno`.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to file: Int32) -> Int {
  var rest = bytes
  while let start = rest.baseAddress, !rest.isEmpty {
    let count = write(file, start, rest.count)
    if count < 0 {
      if errno == EINTR { continue }
      return rest.count
    }
    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
  }
  return 0
}
