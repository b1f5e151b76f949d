#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Turns a message as it lies on disk into what goes over the wire: CRLF for every LF, and behind DATA
/// a second dot where a line begins with one (RFC 5321 §4.5.2). Streams; where pieces are cut makes no
/// difference.
///
/// The message has no bare CR: accepting it has seen to that. One that is there all the same becomes
/// part of a line end where an LF follows, and is dropped where none does, so nothing can be smuggled
/// past a server that sees line ends in it.
package struct BodyEncoder: Sendable {
  package enum Form: Sendable {
    /// For DATA.
    case dotStuffed
    /// For BDAT.
    case plain
  }

  private let form: Form
  private var isAtLineStart = true

  package init(_ form: Form) { self.form = form }

  /// Appends the wire's form of the bytes.
  package mutating func append(_ bytes: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    var rest = bytes
    while !rest.isEmpty {
      let end = Self.find(0x0A, in: rest)
      append(line: UnsafeRawBufferPointer(rebasing: rest[..<(end ?? rest.count)]), to: &output)
      guard let end else { return }
      output.append(0x0D)
      output.append(0x0A)
      isAtLineStart = true
      rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
    }
  }

  /// What ends the body, of which the last line may lack its end. For DATA the final dot: note that it
  /// is about to leave before it does.
  package mutating func finish() -> [UInt8] {
    let end: [UInt8] = isAtLineStart ? [] : [0x0D, 0x0A]
    isAtLineStart = true
    switch form {
    case .dotStuffed: return end + [UInt8(ascii: "."), 0x0D, 0x0A]
    case .plain: return end
    }
  }

  private mutating func append(line: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    guard let first = line.first else { return }
    if isAtLineStart, form == .dotStuffed, first == UInt8(ascii: ".") {
      output.append(UInt8(ascii: "."))
    }
    if Self.find(0x0D, in: line) != nil {
      for byte in line where byte != 0x0D {
        if isAtLineStart, form == .dotStuffed, byte == UInt8(ascii: "."), first == 0x0D {
          output.append(UInt8(ascii: "."))
        }
        output.append(byte)
        isAtLineStart = false
      }
      return
    }
    output.append(contentsOf: line)
    isAtLineStart = false
  }

  private static func find(_ byte: Int32, in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress, let found = memchr(base, byte, bytes.count) else {
      return nil
    }
    return UnsafeRawPointer(found) - base
  }
}
