import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Conversion to UTF-8 by the C library, with handles kept for the next text.
enum Iconv {
  /// A handle has state, so one text at a time borrows it.
  private struct Handle: @unchecked Sendable {  // in the pool or with one borrower, never both
    let raw: iconv_t
  }

  private static let pool = Mutex<[String: [Handle]]>([:])
  private static let keptPerCharset = 8

  /// Appends the text, U+FFFD for each byte that fits nothing; returns whether all fitted.
  ///
  /// Where the library knows none of the names, ASCII is kept and the rest replaced.
  static func append(
    _ bytes: UnsafeRawBufferPointer, from names: [String], into text: inout [UInt8]
  ) -> Bool {
    guard let name = names.first, let handle = borrow(names) else {
      for byte in bytes { text.appendScalar(byte < 0x80 ? UInt32(byte) : 0xFFFD) }
      return false
    }
    defer { giveBack(handle, name: name) }
    return convert(bytes, with: handle.raw, into: &text)
  }

  private static func borrow(_ names: [String]) -> Handle? {
    guard let name = names.first else { return nil }
    if let kept = pool.withLock({ $0[name]?.popLast() }) {
      _ = iconv(kept.raw, nil, nil, nil, nil)
      return kept
    }
    for name in names {
      let raw = iconv_open("UTF-8", name)
      if Int(bitPattern: raw) != -1, let raw { return Handle(raw: raw) }
    }
    return nil
  }

  private static func giveBack(_ handle: Handle, name: String) {
    let isKept = pool.withLock { pool in
      guard pool[name, default: []].count < keptPerCharset else { return false }
      pool[name, default: []].append(handle)
      return true
    }
    if !isKept { iconv_close(handle.raw) }
  }

  private static func convert(
    _ bytes: UnsafeRawBufferPointer, with handle: iconv_t, into text: inout [UInt8]
  ) -> Bool {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return true }
    var isExact = true
    // iconv's C signature wants a mutable input; it only reads it.
    var input: UnsafeMutablePointer<CChar>? = UnsafeMutablePointer(
      mutating: base.assumingMemoryBound(to: CChar.self))
    var left = bytes.count
    withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 8) { room in
      guard let roomStart = room.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
      func run(_ step: (inout UnsafeMutablePointer<CChar>?, inout Int) -> Int) -> Int32? {
        var output: UnsafeMutablePointer<CChar>? = roomStart
        var free = room.count
        let result = step(&output, &free)
        let error = errno
        text.appendWithoutNULs(UnsafeRawBufferPointer(rebasing: room[..<(room.count - free)]))
        return result == -1 ? error : nil
      }
      while left > 0 {
        guard
          let error = run({ output, free in
            iconv(handle, &input, &left, &output, &free)
          })
        else { break }
        if error == E2BIG { continue }
        isExact = false
        text.appendScalar(0xFFFD)
        guard error == EILSEQ, left > 0 else { break }  // EINVAL: cut off by the end
        input = input?.advanced(by: 1)
        left -= 1
      }
      _ = run { output, free in iconv(handle, nil, nil, &output, &free) }
    }
    return isExact
  }
}
