extension HTMLReader {
  mutating func readText(_ range: Range<Int>) {
    if isHidden {
      if !hasHidden, html[range].contains(where: { $0 > ASCII.space }) { hasHidden = true }
      return
    }
    writeText(html, range)
  }

  mutating func writeText(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = bytes[index]
      switch HTMLByteClass.of(byte) {
      case .word:
        let end = wordEnd(bytes, from: index, before: range.upperBound)
        writer.word(UnsafeRawBufferPointer(rebasing: bytes[index..<end]))
        index = end
      case .blank:
        if preformatted > 0 { writeVerbatim(byte) } else { writer.space() }
        index += 1
      case .ampersand:
        if let (scalar, next) = HTMLEntity.read(bytes, at: index), next <= range.upperBound {
          if preformatted > 0, scalar == 0xA0 {
            writeVerbatim(ASCII.space)
          } else {
            writer.scalar(scalar)
          }
          index = next
        } else {
          writer.word([byte])
          index += 1
        }
      case .special:
        let length = max(1, UTF8Scan.characterLength(bytes, at: index))
        writer.scalar(Self.scalar(bytes, at: index, length: length))
        index += length
      }
    }
  }

  /// The end of a run of words with single blanks between them.
  private func wordEnd(_ bytes: UnsafeRawBufferPointer, from start: Int, before end: Int) -> Int {
    var index = start + 1
    while index < end {
      if HTMLByteClass.of(bytes[index]) != .word {
        guard bytes[index] == ASCII.space, index + 1 < end,
          HTMLByteClass.of(bytes[index + 1]) == .word
        else { break }
      }
      index += 1
    }
    return index
  }

  private mutating func writeVerbatim(_ byte: UInt8) {
    switch byte {
    case ASCII.lf: writer.lineBreak()
    case ASCII.cr: break
    default: withUnsafeBytes(of: byte) { writer.verbatim($0) }
    }
  }

  private static func scalar(_ bytes: UnsafeRawBufferPointer, at index: Int, length: Int) -> UInt32
  {
    let lead = UInt32(bytes[index])
    switch length {
    case 2: return (lead & 0x1F) << 6 | UInt32(bytes[index + 1] & 0x3F)
    case 3:
      return (lead & 0x0F) << 12 | UInt32(bytes[index + 1] & 0x3F) << 6
        | UInt32(bytes[index + 2] & 0x3F)
    default: return 0xFFFD
    }
  }
}
