import Maildir
import Testing

struct LineConverterTests {
  /// Converts in blocks as the writer does: what a block leaves over starts the next.
  private func toLF(_ bytes: [UInt8], block: Int) -> (bytes: [UInt8], isReversible: Bool) {
    var output: [UInt8] = []
    var isReversible = true
    var left: [UInt8] = []
    var rest = bytes[...]
    repeat {
      let piece = left + rest.prefix(block)
      rest = rest.dropFirst(block)
      var room = [UInt8](repeating: 0xEE, count: piece.count + 1)
      let step = piece.withUnsafeBytes { piece in
        room.withUnsafeMutableBytes {
          LineConverter.toLF(piece, into: $0.baseAddress!, isLast: rest.isEmpty)
        }
      }
      #expect(room.last == 0xEE)
      output += room.prefix(step.written)
      left = Array(piece[step.read...])
      isReversible = isReversible && step.isReversible
    } while !rest.isEmpty || !left.isEmpty
    return (output, isReversible)
  }

  private func toCRLF(_ bytes: [UInt8]) -> [UInt8] {
    var room = [UInt8](repeating: 0, count: 2 * bytes.count + 1)
    let count = bytes.withUnsafeBytes { bytes in
      room.withUnsafeMutableBytes { LineConverter.toCRLF(bytes, into: $0.baseAddress!) }
    }
    return Array(room.prefix(count))
  }

  private func hasBareEnd(_ bytes: [UInt8]) -> Bool {
    bytes.indices.contains { place in
      bytes[place] == 0x0D && (place + 1 == bytes.count || bytes[place + 1] != 0x0A)
        || bytes[place] == 0x0A && (place == 0 || bytes[place - 1] != 0x0D)
    }
  }

  @Test
  func `chunk size never changes the result, and the way back is exact where it claims to be`() {
    var numbers = SeededNumbers(seed: 5)
    let alphabet = [UInt8]("\r\n\r\nab")
    for _ in 0..<4000 {
      let bytes = (0..<Int.random(in: 0...40, using: &numbers)).map { _ in
        alphabet.randomElement(using: &numbers)!
      }
      let whole = toLF(bytes, block: 1000)
      for block in [1, 2, 3, 7] { #expect(toLF(bytes, block: block) == whole) }
      if whole.isReversible { #expect(toCRLF(whole.bytes) == bytes) }
      #expect(whole.isReversible == !hasBareEnd(bytes))
    }
  }

  /// One byte after the other, as RFC 5322 puts it.
  private func converted(_ bytes: [UInt8]) -> [UInt8] {
    var made: [UInt8] = []
    for byte in bytes {
      if byte == 0x0A, made.last == 0x0D { made.removeLast() }
      made.append(byte)
    }
    return made
  }

  @Test func `lines of every length and bytes of every kind are copied as they are`() {
    var numbers = SeededNumbers(seed: 6)
    for _ in 0..<2000 {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 0...12, using: &numbers) {
        for _ in 0..<Int.random(in: 0...30, using: &numbers) {
          bytes.append(UInt8.random(in: 0...255, using: &numbers))
        }
        bytes += [[0x0D, 0x0A], [0x09], [0x0D], [0x0A], [0x8D, 0x8A]].randomElement(
          using: &numbers)!
      }
      let whole = toLF(bytes, block: 1000)
      #expect(whole.bytes == converted(bytes))
      #expect(whole.isReversible == !hasBareEnd(bytes))
      #expect(toLF(bytes, block: 9) == whole)
    }
  }

  @Test(arguments: [
    ("a\r\nb\r\n", "a\nb\n", true), ("", "", true), ("\r\n", "\n", true), ("a\nb", "a\nb", false),
    ("a\rb", "a\rb", false), ("\r\r\n", "\r\n", false), ("a\r", "a\r", false),
    ("\n\r", "\n\r", false),
  ])
  func `bare CR and bare LF pass and are noticed`(given: String, made: String, isReversible: Bool) {
    let result = toLF(Array(given.utf8), block: 100)
    #expect(result.bytes == Array(made.utf8))
    #expect(result.isReversible == isReversible)
  }
}
