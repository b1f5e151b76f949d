#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Takes a message as it comes in: line ends become LF, and what no server would carry is refused at
/// once. Where pieces are cut makes no difference.
package struct MessageReading {
  package static let sizeLimit: UInt64 = 1 << 30

  private let spool: MessageSpool
  /// A line with nothing but a dot ends the message: at a terminal, without -i.
  private let endsAtDot: Bool
  private let sizeLimit: UInt64
  private var isAfterReturn = false
  private var isAtLineStart = true
  /// A dot stands at the line's start, and nothing behind it yet.
  private var isAfterLeadingDot = false
  private var line = 1
  private(set) package var isAtEnd = false

  package init(
    into spool: MessageSpool, endsAtDot: Bool, sizeLimit: UInt64 = MessageReading.sizeLimit
  ) {
    self.spool = spool
    self.endsAtDot = endsAtDot
    self.sizeLimit = sizeLimit
  }

  /// After it, ``isAtEnd`` tells whether a lone dot came; what follows that is not read.
  package mutating func take(_ bytes: UnsafeRawBufferPointer) throws(AcceptanceError) {
    var rest = bytes
    while !rest.isEmpty, !isAtEnd {
      if isAfterReturn {
        guard rest[0] == 0x0A else { throw .bareCarriageReturn(line: line) }
        isAfterReturn = false
      }
      let end = Self.find(0x0D, in: rest) ?? rest.count
      try pass(UnsafeRawBufferPointer(rebasing: rest[..<end]))
      isAfterReturn = end < rest.count
      rest = UnsafeRawBufferPointer(rebasing: rest[min(rest.count, end + 1)...])
    }
  }

  /// At the end of the input.
  package mutating func finish() throws(AcceptanceError) {
    guard !isAtEnd else { return }
    if isAfterReturn { throw .bareCarriageReturn(line: line) }
    if isAfterLeadingDot {
      try append(Self.dot)
      isAtLineStart = false
    }
    // A last line without its end gets one: SMTP would add it.
    if !isAtLineStart { try append(Self.lineFeed) }
    isAtEnd = true
  }

  /// Bytes without CR.
  private mutating func pass(_ bytes: UnsafeRawBufferPointer) throws(AcceptanceError) {
    guard !bytes.isEmpty else { return }
    if let nul = Self.find(0, in: bytes) {
      throw .nulByte(line: line + Self.lines(UnsafeRawBufferPointer(rebasing: bytes[..<nul])))
    }
    guard endsAtDot else {
      line += Self.lines(bytes)
      isAtLineStart = bytes[bytes.count - 1] == 0x0A
      return try append(bytes)
    }
    try passLines(bytes)
  }

  private mutating func passLines(_ bytes: UnsafeRawBufferPointer) throws(AcceptanceError) {
    var start = 0
    while start < bytes.count {
      if isAfterLeadingDot {
        isAfterLeadingDot = false
        if bytes[start] == 0x0A {
          isAtEnd = true
          return
        }
        isAtLineStart = false
        try append(Self.dot)
      } else if isAtLineStart, bytes[start] == UInt8(ascii: ".") {
        isAfterLeadingDot = true
        start += 1
        continue
      }
      let end = min(bytes.count, bytes.lineFeed(from: start) + 1)
      try append(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      isAtLineStart = bytes[end - 1] == 0x0A
      if isAtLineStart { line += 1 }
      start = end
    }
  }

  private func append(_ bytes: UnsafeRawBufferPointer) throws(AcceptanceError) {
    guard UInt64(spool.count) + UInt64(bytes.count) <= sizeLimit else {
      throw .tooLarge(limit: sizeLimit)
    }
    try spool.append(bytes)
  }

  private func append(_ bytes: [UInt8]) throws(AcceptanceError) { try spool.append(bytes) }

  private static let dot = [UInt8(ascii: ".")]
  private static let lineFeed: [UInt8] = [0x0A]

  private static func find(_ byte: Int32, in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress, let found = memchr(base, byte, bytes.count) else {
      return nil
    }
    return UnsafeRawPointer(found) - base
  }

  private static func lines(_ bytes: UnsafeRawBufferPointer) -> Int {
    var count = 0
    for byte in bytes { count &+= byte == 0x0A ? 1 : 0 }
    return count
  }
}

extension MessageReading {
  /// Reads a descriptor to its end, or to the lone dot.
  package mutating func readAll(from descriptor: Int32) throws(AcceptanceError) {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
    defer { room.deallocate() }
    while !isAtEnd {
      let count = read(descriptor, room.baseAddress, room.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw .input(String(cString: strerror(errno)))
      }
      if count == 0 { break }
      try take(UnsafeRawBufferPointer(rebasing: room[..<count]))
    }
    try finish()
  }
}
