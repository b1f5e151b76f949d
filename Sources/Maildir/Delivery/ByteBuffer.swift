/// A block of memory that is used again and again, with room in front for the keywords line.
///
/// Nothing is kept for a message but this: memory stays flat whatever the messages' size.
final class ByteBuffer {
  static let headroom = 4096
  private let memory: UnsafeMutableRawBufferPointer
  let capacity: Int
  private(set) var count = 0

  init(capacity: Int) {
    self.capacity = capacity
    memory = .allocate(byteCount: Self.headroom + capacity, alignment: 64)
  }

  deinit { memory.deallocate() }

  var free: Int { capacity - count }

  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: memory[Self.headroom..<(Self.headroom + count)])
  }

  /// Everything behind the content, to be filled; then ``grow(by:)``.
  var room: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: memory[(Self.headroom + count)...])
  }

  func clear() { count = 0 }
  func grow(by more: Int) { count += min(more, free) }

  /// The caller has seen that the bytes fit.
  func append(_ bytes: UnsafeRawBufferPointer) {
    room.copyMemory(from: bytes)
    count += bytes.count
  }

  /// Drops the first bytes.
  func consume(_ used: Int) {
    let rest = UnsafeRawBufferPointer(rebasing: bytes[used...])
    UnsafeMutableRawBufferPointer(rebasing: memory[Self.headroom...]).copyMemory(from: rest)
    count = rest.count
  }

  /// The content with `prefix` in front of it, or nil where the prefix is too long for the
  /// headroom.
  func bytes(behind prefix: [UInt8]) -> UnsafeRawBufferPointer? {
    guard prefix.count <= Self.headroom else { return nil }
    let start = Self.headroom - prefix.count
    prefix.withUnsafeBytes {
      UnsafeMutableRawBufferPointer(rebasing: memory[start...]).copyMemory(from: $0)
    }
    return UnsafeRawBufferPointer(rebasing: memory[start..<(Self.headroom + count)])
  }
}
