#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Bytes between the socket and the parser: the socket writes at the tail, the parser reads at the head.
///
/// What is unread moves to the front only when the tail runs out of room, so bodies that are read
/// as they come are never moved. It grows for one long response and shrinks again afterwards.
struct ReceiveBuffer: ~Copyable {
  private var storage: UnsafeMutableRawPointer
  private var capacity: Int
  private(set) var head = 0
  private(set) var tail = 0
  /// Bytes it holds when nothing unusual is under way.
  private let usual: Int
  /// Bytes of room that a read is offered at least.
  private static let leastRoom = 16 * 1024

  init(capacity: Int) {
    usual = max(capacity, 2 * Self.leastRoom)
    self.capacity = usual
    storage = .allocate(byteCount: usual, alignment: 64)
  }

  deinit { storage.deallocate() }

  var count: Int { tail - head }
  var isEmpty: Bool { head == tail }

  /// The unread bytes; valid until the next ``makeRoom()``.
  var unread: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: storage + head, count: tail - head)
  }

  mutating func consume(_ count: Int) {
    head += count
    if head == tail {
      head = 0
      tail = 0
    }
  }

  /// Free bytes at the tail for a read to fill; report them with ``filled(_:)``.
  mutating func makeRoom() -> UnsafeMutableRawBufferPointer {
    if isEmpty, capacity > usual { resize(to: usual) }
    if capacity - tail < Self.leastRoom {
      if count <= capacity / 2 { slide() } else { resize(to: capacity * 2) }
    }
    return UnsafeMutableRawBufferPointer(start: storage + tail, count: capacity - tail)
  }

  mutating func filled(_ count: Int) {
    precondition(count >= 0 && tail + count <= capacity, "a read reported more than its room")
    tail += count
  }

  /// Resolves the backslashes of a quoted string in place; returns its new length.
  mutating func unescape(_ range: Range<Int>) -> Int {
    let bytes = (storage + head).assumingMemoryBound(to: UInt8.self)
    var to = range.lowerBound
    var from = range.lowerBound
    while from < range.upperBound {
      if bytes[from] == UInt8(ascii: "\\"), from + 1 < range.upperBound { from += 1 }
      bytes[to] = bytes[from]
      to += 1
      from += 1
    }
    return to - range.lowerBound
  }

  private mutating func slide() {
    memmove(storage, storage + head, count)
    tail = count
    head = 0
  }

  private mutating func resize(to size: Int) {
    let larger = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
    memcpy(larger, storage + head, count)
    storage.deallocate()
    storage = larger
    capacity = size
    tail = count
    head = 0
  }
}
