extension Charset {
  /// Appends text as well-formed UTF-8 without NULs or byte order mark; never fails.
  ///
  /// `label` is what the message claims, or nil. A claim that cannot be true gives way to a guess (`guess`): US-ASCII
  /// with high bytes, ISO 8859-1 whose bytes are well-formed UTF-8, a multi-byte charset with broken characters where
  /// UTF-8 has none. `fallback` is taken instead of windows-1252 where nothing else speaks.
  @discardableResult
  package static func appendUTF8(
    _ bytes: UnsafeRawBufferPointer, label: String?, fallback: Charset = .windows1252,
    into text: inout [UInt8]
  ) -> CharsetFidelity {
    appendUTF8(
      bytes, charset: label.flatMap { Charset(label: $0) }, fallback: fallback, into: &text)
  }

  /// Appends text as `appendUTF8(_:label:fallback:into:)` does; the label is still in the message.
  @discardableResult
  package static func appendUTF8(
    _ bytes: UnsafeRawBufferPointer, labelBytes: UnsafeRawBufferPointer,
    fallback: Charset = .windows1252, into text: inout [UInt8]
  ) -> CharsetFidelity {
    appendUTF8(bytes, charset: Charset(label: labelBytes), fallback: fallback, into: &text)
  }

  /// Appends text as `appendUTF8(_:label:fallback:into:)` does, for a charset already looked up.
  @discardableResult
  package static func appendUTF8(
    _ bytes: UnsafeRawBufferPointer, charset: Charset?, fallback: Charset = .windows1252,
    into text: inout [UInt8]
  ) -> CharsetFidelity {
    guard let charset, charset.coding != .unknown else {
      return guess(bytes, fallback: fallback).append(bytes, into: &text, ifExact: .guessed)
    }
    switch charset.coding {
    case .utf8:
      return appendAsUTF8(bytes, fallback: fallback, into: &text)
    case .windows1252:
      // Mail that is labelled us-ascii or latin1 and well-formed as UTF-8 is UTF-8: the reverse reads “Ã©” for “é”.
      let end = UTF8Scan.validEnd(bytes)
      guard end == bytes.count || UTF8Scan.validEnd(withoutNULs: bytes) else {
        if charset == .ascii {
          return guess(bytes, fallback: fallback).append(bytes, into: &text, ifExact: .guessed)
        }
        return charset.append(bytes, into: &text, ifExact: .exact)
      }
      return Charset.utf8.append(bytes, into: &text, ifExact: .exact)
    case .singleByte, .stateful, .iso2022JP, .hz, .utf16, .unknown:
      return charset.append(bytes, into: &text, ifExact: .exact)
    case .multiByte:
      let start = text.count
      let fidelity = charset.append(bytes, into: &text, ifExact: .exact)
      guard fidelity == .damaged, UTF8Scan.validEnd(withoutNULs: bytes) else { return fidelity }
      text.removeSubrange(start...)
      return Charset.utf8.append(bytes, into: &text, ifExact: .guessed)
    }
  }

  /// The charset of unlabelled text: a byte order mark, UTF-8 if well formed, ISO-2022-JP by its escapes, another
  /// script where the bytes leave little doubt (`LegacyGuess`), else `fallback`.
  package static func guess(
    _ bytes: UnsafeRawBufferPointer, fallback: Charset = .windows1252
  ) -> Charset {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return .utf16 }
    let firstOdd = UTF8Scan.asciiEnd(bytes)
    if firstOdd == bytes.count { return ISO2022JP.hasEscape(bytes) ? .iso2022JP : .utf8 }
    if UTF8Scan.validEnd(withoutNULs: bytes) { return .utf8 }
    return fallback == .windows1252 ? LegacyGuess.charset(bytes) ?? fallback : fallback
  }

  /// Text labelled UTF-8. Where most of it is, the rest is read as windows-1252 byte by byte (a footer of another
  /// charset); where none of it is, the label is wrong.
  private static func appendAsUTF8(
    _ bytes: UnsafeRawBufferPointer, fallback: Charset, into text: inout [UInt8]
  ) -> CharsetFidelity {
    if UTF8Scan.validEnd(bytes) == bytes.count || UTF8Scan.hasCharacter(bytes) {
      return Charset.utf8.append(bytes, into: &text, ifExact: .exact)
    }
    return guess(bytes, fallback: fallback).append(bytes, into: &text, ifExact: .guessed)
  }

  /// Reads the bytes by this charset, whatever they look like.
  private func append(
    _ bytes: UnsafeRawBufferPointer, into text: inout [UInt8], ifExact: CharsetFidelity
  ) -> CharsetFidelity {
    let start = text.count
    let isExact: Bool
    switch coding {
    case .utf8, .unknown: isExact = WesternText.appendUTF8(bytes, into: &text)
    case .windows1252:
      WesternText.append(bytes, into: &text)
      isExact = true
    case .singleByte: isExact = SingleByteTable.append(bytes, charset: self, into: &text)
    case .multiByte where UTF8Scan.asciiEnd(bytes) == bytes.count:
      text.append(contentsOf: bytes)
      isExact = true
    case .stateful where name != "utf-32" && bytes.contains(0):
      isExact = bytes.filter { $0 != 0 }.withUnsafeBytes {
        Iconv.append($0, from: iconvNames, into: &text)
      }
    case .multiByte, .stateful:
      isExact = Iconv.append(bytes, from: iconvNames, into: &text)
    case .iso2022JP: isExact = ISO2022JP.append(bytes, charset: self, into: &text)
    case .hz: isExact = HZText.append(bytes, charset: self, into: &text)
    case .utf16(let bigEndian):
      isExact = UTF16Text.append(bytes, bigEndian: bigEndian, into: &text)
    }
    if text.count >= start + 3, text[start] == 0xEF, text[start + 1] == 0xBB,
      text[start + 2] == 0xBF
    {
      text.removeSubrange(start..<start + 3)
    }
    return isExact ? ifExact : .damaged
  }
}

extension UTF8Scan {
  /// Whether all is well-formed UTF-8 but for NULs.
  static func validEnd(withoutNULs bytes: UnsafeRawBufferPointer) -> Bool {
    var index = validEnd(bytes)
    while index < bytes.count {
      guard bytes[index] == 0 else { return false }
      index = validEnd(bytes, from: index + 1)
    }
    return true
  }

  /// Whether there are characters beyond ASCII, at least as many well formed as not; one cut off at the end is neither.
  static func hasCharacter(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var good = 0
    var bad = 0
    var index = asciiEnd(bytes)
    while index < bytes.count {
      let length = characterLength(bytes, at: index)
      if bytes[index] == 0 {
        index += 1
      } else if length > 0 {
        good += 1
        index += length
      } else {
        bad += isCutOff(bytes, at: index) ? 0 : 1
        index += 1
      }
      index = asciiEnd(bytes, from: index)
    }
    return good > 0 && good >= bad
  }
}
