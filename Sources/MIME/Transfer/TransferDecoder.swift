/// Undoes a transfer encoding.
package enum TransferDecoder {
  /// Appends at most about `limit` decoded bytes; returns whether something did not fit the encoding.
  ///
  /// Never fails: base64 takes what is of its alphabet, quoted-printable keeps what is no escape, uuencode without a
  /// `begin` line decodes lines as they come.
  @discardableResult
  package static func decode(
    _ body: UnsafeRawBufferPointer, _ encoding: TransferEncoding, into bytes: inout [UInt8],
    limit: Int = .max
  ) -> Bool {
    switch encoding {
    case .identity, .unknown:
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: body.prefix(limit)))
      return encoding == .unknown
    case .base64:
      return Base64Decoder.append(body, into: &bytes, limit: limit)
    case .quotedPrintable:
      return QuotedPrintable.append(body, into: &bytes, limit: limit)
    case .uuencode:
      return UUEncode.append(body, into: &bytes, limit: limit)
    }
  }

  /// The size of a body once decoded, without decoding it.
  ///
  /// Exact for well-formed base64; quoted-printable is counted; uuencode is reckoned from its lines.
  package static func decodedSize(_ body: UnsafeRawBufferPointer, _ encoding: TransferEncoding)
    -> Int
  {
    switch encoding {
    case .identity, .unknown: body.count
    case .base64: Base64Decoder.decodedSize(body)
    case .quotedPrintable: QuotedPrintable.decodedSize(body)
    case .uuencode: UUEncode.decodedSize(body)
    }
  }
}

/// Grows an array by at most `room` bytes that `fill` writes; `fill` returns how many it wrote.
func appendFilling(
  _ bytes: inout [UInt8], room: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Int
) {
  let start = bytes.count
  bytes.append(contentsOf: repeatElement(0, count: room + 1))
  let written = bytes.withUnsafeMutableBufferPointer { buffer in
    buffer.baseAddress.map { fill($0 + start) } ?? 0
  }
  bytes.removeLast(room + 1 - written)
}
