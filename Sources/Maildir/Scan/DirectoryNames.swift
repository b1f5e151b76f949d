import CFileCalls

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads a directory's names without making a string of any.
package enum DirectoryNames {
  package enum Kind {
    case file, directory, link, other
    /// The file system does not tell.
    case unknown
  }

  /// Calls `body` with each name (without NUL; valid during the call only) but `.` and `..`.
  ///
  /// Opens the directory anew, so several passes may go on at once.
  package static func forEach(
    in directory: Directory, _ body: (UnsafeRawBufferPointer, Kind) throws(MaildirError) -> Void
  ) throws(MaildirError) {
    try forEachEntry(in: directory) { name, kind, _ throws(MaildirError) in try body(name, kind) }
  }

  /// The same with the inode that the directory holds for the name, which costs no look at the file.
  static func forEachEntry(
    in directory: Directory,
    _ body: (UnsafeRawBufferPointer, Kind, UInt64) throws(MaildirError) -> Void
  ) throws(MaildirError) {
    if directory.isNowhere { return }
    let raw = retrying { openat(directory.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard raw >= 0 else { throw .failed("open", directory.path) }
    #if os(Linux)
      try readEntries(of: Descriptor(raw), path: directory.path, body)
    #else
      try readStream(of: raw, path: directory.path, body)
    #endif
  }

  #if os(Linux)
    /// linux_dirent64: d_ino 8, d_off 8, d_reclen 2, d_type 1, then the name with its NUL and
    /// padding.
    private static func readEntries(
      of directory: consuming Descriptor, path: String,
      _ body: (UnsafeRawBufferPointer, Kind, UInt64) throws(MaildirError) -> Void
    ) throws(MaildirError) {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 * 1024, alignment: 8)
      defer { buffer.deallocate() }
      guard let start = buffer.baseAddress else { return }
      while true {
        let filled = file_read_directory(directory.raw, start, buffer.count)
        guard filled >= 0 else { throw .failed("getdents64", path) }
        if filled == 0 { return }
        var place = 0
        while place < filled {
          let length = Int(buffer.load(fromByteOffset: place + 16, as: UInt16.self))
          let name = start + place + 19
          let bytes = UnsafeRawBufferPointer(
            start: name, count: strlen(name.assumingMemoryBound(to: CChar.self)))
          if !isDots(bytes) {
            let inode = buffer.load(fromByteOffset: place, as: UInt64.self)
            try body(bytes, kind(buffer[place + 18]), inode)
          }
          place += length
        }
      }
    }
  #else
    private static func readStream(
      of raw: Int32, path: String,
      _ body: (UnsafeRawBufferPointer, Kind, UInt64) throws(MaildirError) -> Void
    ) throws(MaildirError) {
      guard let stream = fdopendir(raw) else {
        close(raw)
        throw .failed("opendir", path)
      }
      defer { closedir(stream) }
      while true {
        errno = 0
        guard let entry = readdir(stream) else {
          if errno != 0 { throw .failed("readdir", path) }
          return
        }
        let length = Int(entry.pointee.d_namlen)
        let type = entry.pointee.d_type
        let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 21
        let name = UnsafeRawBufferPointer(
          start: UnsafeRawPointer(entry) + offset, count: length)
        if !isDots(name) { try body(name, kind(type), UInt64(entry.pointee.d_ino)) }
      }
    }
  #endif

  private static func isDots(_ name: UnsafeRawBufferPointer) -> Bool {
    name.count <= 2 && name.allSatisfy { $0 == UInt8(ascii: ".") }
  }

  private static func kind(_ type: UInt8) -> Kind {
    switch Int(type) {
    case Int(DT_REG): .file
    case Int(DT_DIR): .directory
    case Int(DT_LNK): .link
    case Int(DT_UNKNOWN): .unknown
    default: .other
    }
  }
}
