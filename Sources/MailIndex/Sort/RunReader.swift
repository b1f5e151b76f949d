#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One sorted run, read from its beginning a piece at a time.
final class RunReader {
  private static let piece = 32 << 10

  private let file: RecordFile
  private var offset: Int64
  private let end: Int64
  /// Room for one record beyond a piece.
  private let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: piece + RecordSort.longest + 2, alignment: 8)
  private var start = 0
  private var filled = 0
  private var length = 0

  init(_ file: RecordFile, start: Int64, end: Int64) {
    self.file = file
    offset = start
    self.end = end
  }

  deinit { buffer.deallocate() }

  /// Valid until the next ``advance()``.
  var record: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: buffer[(start + 2)..<(start + 2 + length)])
  }

  /// Goes to the next record. Returns false after the last.
  func advance() throws(IndexError) -> Bool {
    if filled > start { start += length + 2 }
    try fill(2)
    guard filled - start >= 2 else { return false }
    length = Int(UInt16(littleEndian: buffer.loadUnaligned(fromByteOffset: start, as: UInt16.self)))
    try fill(length + 2)
    guard filled - start >= length + 2 else {
      throw .disk("a file of the index's own is shorter than it was written")
    }
    return true
  }

  private func fill(_ wanted: Int) throws(IndexError) {
    guard filled - start < wanted, offset < end, let base = buffer.baseAddress else { return }
    memmove(base, base + start, filled - start)
    filled -= start
    start = 0
    let room = min(Int64(max(Self.piece, wanted - filled)), end - offset)
    let free = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<filled + Int(room)])
    let got = try file.read(at: offset, into: free)
    offset += Int64(got)
    filled += got
  }

  func precedes(_ other: RunReader) -> Bool {
    let (a, b) = (record, other.record)
    guard let first = a.baseAddress, let second = b.baseAddress else { return a.count < b.count }
    let order = memcmp(first, second, min(a.count, b.count))
    return order == 0 ? a.count < b.count : order < 0
  }
}
