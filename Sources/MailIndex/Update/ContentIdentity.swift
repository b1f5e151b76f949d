import MIME
import Maildir

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What makes two files one message: who wrote what to whom, and when.
///
/// Hashed are the values of From, To, Cc, Subject, Date, Message-ID and the MIME fields, their white
/// space made even, and the body with LF line ends. Left out is what a mail picks up on its way and
/// from its readers: Received, Return-Path, Status, keywords and the like. A message that has no
/// Message-ID and lacks From or Date is hashed with all other fields, because those that are left
/// would make unlike mails one.
struct ContentIdentity {
  private let bytes: UnsafeRawBufferPointer
  private let body: Range<Int>
  private let fields: MIME.HeaderFields

  init(_ bytes: UnsafeRawBufferPointer, _ body: Range<Int>, _ fields: MIME.HeaderFields) {
    self.bytes = bytes
    self.body = body
    self.fields = fields
  }

  /// In the order of all kinds, which is that of the hash.
  private static let kinds: [MIME.FieldKind] = [
    .from, .to, .cc, .subject, .date, .messageID, .mimeVersion, .contentType,
    .contentTransferEncoding, .contentDisposition, .contentID,
  ]

  private static let transport: [MIME.FieldKind] = [
    .received, .returnPath, .deliveredTo, .status, .xStatus, .contentLength, .lines, .keywords,
    .xKeywords, .xLabel, .listID, .listPost, .listUnsubscribe,
  ]

  private var isNameless: Bool {
    fields.first(.messageID) == nil && (fields.first(.from) == nil || fields.first(.date) == nil)
  }

  /// - Parameter scratch: memory to work in.
  func hash(_ scratch: inout [UInt8]) -> Int64 {
    scratch.removeAll(keepingCapacity: true)
    for kind in Self.kinds {
      for value in fields.all(kind) { Self.append(kind, bytes[value], to: &scratch) }
    }
    if isNameless {
      for field in fields.fields
      where !Self.kinds.contains(field.kind) && !Self.transport.contains(field.kind) {
        scratch.append(contentsOf: bytes[field.name].map { $0 &- 65 < 26 ? $0 | 0x20 : $0 })
        Self.append(field.kind, bytes[field.value], to: &scratch)
      }
    }
    let hash = bodyHash
    withUnsafeBytes(of: hash.littleEndian) { scratch.append(contentsOf: $0) }
    return Int64(bitPattern: XXH3.hash(scratch))
  }

  private static func append(
    _ kind: MIME.FieldKind, _ value: Slice<UnsafeRawBufferPointer>, to scratch: inout [UInt8]
  ) {
    scratch.append(kind.rawValue)
    var isAfterBlank = true
    for byte in value {
      let isBlank = byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
      if isBlank, isAfterBlank { continue }
      scratch.append(isBlank ? 0x20 : byte)
      isAfterBlank = isBlank
    }
    if isAfterBlank, scratch.last == 0x20 { scratch.removeLast() }
    scratch.append(0x0A)
  }

  /// Line breaks at the end don't count: transports add and drop them.
  private var bodyHash: UInt64 {
    var end = body.upperBound
    while end > body.lowerBound, bytes[end - 1] == 0x0A || bytes[end - 1] == 0x0D { end -= 1 }
    let body = UnsafeRawBufferPointer(rebasing: bytes[body.lowerBound..<end])
    guard let start = body.baseAddress, memchr(start, 0x0D, body.count) != nil else {
      return XXH3.hash(body)
    }
    return XXH3.hash(Self.withoutReturns(body))
  }

  /// CRLF as LF; a bare CR stays.
  private static func withoutReturns(_ body: UnsafeRawBufferPointer) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(body.count)
    var rest = body
    while let start = rest.baseAddress, !rest.isEmpty {
      guard let found = memchr(start, 0x0D, rest.count) else { break }
      let place = UnsafeRawPointer(found) - start
      let endsLine = place + 1 < rest.count && rest[place + 1] == 0x0A
      result.append(contentsOf: rest[..<(endsLine ? place : place + 1)])
      rest = UnsafeRawBufferPointer(rebasing: rest[(place + 1)...])
    }
    result.append(contentsOf: rest)
    return result
  }
}
