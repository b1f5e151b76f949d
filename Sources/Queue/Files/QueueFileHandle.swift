import CFileCalls
import Maildir

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An open file of the queue's, closed with the object's life.
final class QueueFileHandle {
  let descriptor: Int32
  let path: String

  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  struct Facts {
    var size: UInt64
    var inode: UInt64
    var birthTime: Int64
    /// Unix seconds: when its bytes, name or dates were changed here last, which no copying program makes up.
    var changed: Int64

    var mark: FileMark { FileMark(inode: inode, birthTime: birthTime) }
    /// What is not finished after an hour never will be.
    func isOld(at seconds: Int64 = Int64(time(nil))) -> Bool { seconds - changed >= 3600 }
  }

  func facts() throws(MaildirError) -> Facts {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .call("stat", path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .badName(path) }
    return Facts(
      size: UInt64(max(0, status.st_size)), inode: UInt64(status.st_ino),
      birthTime: file_birth_time(descriptor), changed: Self.seconds(status))
  }

  private static func seconds(_ status: stat) -> Int64 {
    #if canImport(Glibc)
      Int64(status.st_ctim.tv_sec)
    #else
      Int64(status.st_ctimespec.tv_sec)
    #endif
  }

  func write(_ bytes: [UInt8]) throws(MaildirError) {
    let failed = bytes.withUnsafeBytes { writeAll($0) }
    if failed != 0 {
      errno = failed
      throw .call("write", path, needed: bytes.count)
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(MaildirError) {
    let failed = writeAll(bytes)
    if failed != 0 {
      errno = failed
      throw .call("write", path, needed: bytes.count)
    }
  }

  /// 0, or the error's number.
  private func writeAll(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    var rest = bytes
    while let start = rest.baseAddress, !rest.isEmpty {
      #if canImport(Glibc)
        let count = Glibc.write(descriptor, start, rest.count)
      #else
        let count = Darwin.write(descriptor, start, rest.count)
      #endif
      if count < 0 {
        if errno == EINTR { continue }
        return errno
      }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    return 0
  }

  /// Fills the buffer as far as the file goes; returns how many bytes.
  func read(into buffer: inout [UInt8]) throws(MaildirError) -> Int {
    let (count, code) = buffer.withUnsafeMutableBytes { room -> (Int, Int32) in
      var filled = 0
      while filled < room.count, let start = room.baseAddress {
        #if canImport(Glibc)
          let count = Glibc.read(descriptor, start + filled, room.count - filled)
        #else
          let count = Darwin.read(descriptor, start + filled, room.count - filled)
        #endif
        if count < 0 {
          if errno == EINTR { continue }
          return (-1, errno)
        }
        if count == 0 { break }
        filled += count
      }
      return (filled, 0)
    }
    guard count >= 0 else {
      errno = code
      throw .call("read", path)
    }
    return count
  }

  func sync() throws(MaildirError) {
    guard unbroken({ file_sync(descriptor) }) == 0 else { throw .call("fsync", path) }
  }
}
