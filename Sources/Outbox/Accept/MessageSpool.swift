import Maildir

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Bytes of a message while it is looked at: in memory, or from some size on in a file that has no name.
package final class MessageSpool {
  /// Up to here a message stays in memory: most do, and none takes more than this of it.
  static let memoryLimit = 2 << 20

  private var memory: [UInt8] = []
  private var file: Int32 = -1
  private(set) package var count = 0
  private let directory: String

  /// - Parameter directory: where the file is made, if there is to be one.
  package init(directory: String) { self.directory = directory }

  deinit { if file >= 0 { close(file) } }

  /// - Throws: `AcceptanceError.spool` with the system's words.
  package func append(_ bytes: UnsafeRawBufferPointer) throws(AcceptanceError) {
    if file < 0, count + bytes.count > Self.memoryLimit { try moveToFile() }
    count += bytes.count
    guard file < 0 else { return try write(bytes) }
    // Room that is not written to costs nothing, and growing in steps is copying in steps.
    if memory.capacity < count { memory.reserveCapacity(Self.memoryLimit) }
    memory.append(contentsOf: bytes)
  }

  package func append(_ bytes: [UInt8]) throws(AcceptanceError) {
    if file < 0, count + bytes.count <= Self.memoryLimit {
      memory += bytes
      count += bytes.count
      return
    }
    let failure = bytes.withUnsafeBytes { bytes -> AcceptanceError? in
      do throws(AcceptanceError) { try append(bytes) } catch { return error }
      return nil
    }
    if let failure { throw failure }
  }

  /// So many bytes from the start, or all.
  package func head(atMost limit: Int) throws -> [UInt8] {
    guard file >= 0 else { return Array(memory.prefix(limit)) }
    var head: [UInt8] = []
    try forEachPiece(from: 0, to: min(limit, count)) { head += $0 }
    return head
  }

  /// The bytes from a place on, in order, some at a time: a large message is never in memory.
  package func forEachPiece(
    from start: Int, to end: Int? = nil, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let end = min(end ?? count, count)
    var place = start
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
    defer { room.deallocate() }
    while place < end {
      let wanted = min(room.count, end - place)
      if file < 0 {
        try memory.withUnsafeBytes {
          try body(UnsafeRawBufferPointer(rebasing: $0[place..<(place + wanted)]))
        }
        place += wanted
        continue
      }
      let read = pread(file, room.baseAddress, wanted, off_t(place))
      if read < 0, errno == EINTR { continue }
      guard read > 0 else { throw failed("read") }
      try body(UnsafeRawBufferPointer(rebasing: room[..<read]))
      place += read
    }
  }

  /// All the bytes; valid during the call.
  package func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) throws -> R {
    guard file >= 0 else { return try memory.withUnsafeBytes(body) }
    let start = mmap(nil, count, PROT_READ, MAP_PRIVATE, file, 0)
    guard let start, start != MAP_FAILED else { throw failed("mmap") }
    defer { munmap(start, count) }
    return try body(UnsafeRawBufferPointer(start: start, count: count))
  }

  private func moveToFile() throws(AcceptanceError) {
    var path = Array((directory + "/mirror.XXXXXX").utf8CString)
    file = path.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.map { mkstemp($0) } ?? -1
    }
    guard file >= 0 else { throw failed("mkstemp") }
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    path.withUnsafeBufferPointer { buffer in
      if let path = buffer.baseAddress { _ = unlink(path) }
    }
    let held = memory
    memory = []
    let failure = held.withUnsafeBytes { bytes -> AcceptanceError? in
      do throws(AcceptanceError) { try write(bytes) } catch { return error }
      return nil
    }
    if let failure { throw failure }
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws(AcceptanceError) {
    guard writeAll(bytes, to: file) == 0 else { throw failed("write") }
  }

  private func failed(_ call: String) -> AcceptanceError {
    .spool("\(call) in \(directory): \(String(cString: strerror(errno)))")
  }
}
