import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Hashes a message that comes in pieces of any size, with LF line ends. Memory stays bounded:
/// header lines over 64 KiB are fed through in parts.
///
/// The header ends at the first empty line; a message without one is all header.
package struct MessageHasher: ~Copyable {
  private var header: CanonicalHeader
  private let body = XXH3.Stream()
  private var stage = Stage.header
  /// The part of a header line that came so far.
  private var line: [UInt8] = []
  private var lineIsUnderWay = false
  private var headerHash: HeaderHash = .unknown

  private enum Stage { case header, body }
  package static let longestLine = 64 * 1024

  package init(labelName: String?) {
    header = CanonicalHeader(labelName: labelName.map { $0.utf8.map(ASCII.lowered) } ?? [])
  }

  package mutating func reset() {
    header.reset()
    stage = .header
    line.removeAll(keepingCapacity: true)
    lineIsUnderWay = false
  }

  package mutating func feed(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    if stage == .header { rest = feedHeader(rest) }
    if stage == .body { body.feed(rest) }
  }

  /// Returns what is left for the body.
  private mutating func feedHeader(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var rest = bytes
    while let start = rest.baseAddress, !rest.isEmpty {
      guard let found = memchr(start, Int32(ASCII.lf), rest.count) else {
        keep(rest)
        return UnsafeRawBufferPointer(rebasing: rest[rest.count...])
      }
      let length = UnsafeRawPointer(found) - start
      if length == 0, line.isEmpty, !lineIsUnderWay {
        endHeader()
        return UnsafeRawBufferPointer(rebasing: rest[1...])
      }
      let piece = UnsafeRawBufferPointer(rebasing: rest[..<length])
      if line.isEmpty {
        header.feed(piece, startsLine: !lineIsUnderWay)
      } else {
        line.append(contentsOf: piece)
        flushLine()
      }
      lineIsUnderWay = false
      rest = UnsafeRawBufferPointer(rebasing: rest[(length + 1)...])
    }
    return rest
  }

  private mutating func keep(_ bytes: UnsafeRawBufferPointer) {
    line.append(contentsOf: bytes)
    if line.count > Self.longestLine { flushLine() }
  }

  private mutating func flushLine() {
    let startsLine = !lineIsUnderWay
    lineIsUnderWay = true
    line.withUnsafeBytes { header.feed($0, startsLine: startsLine) }
    line.removeAll(keepingCapacity: line.capacity <= 2 * Self.longestLine)
  }

  private mutating func endHeader() {
    if !line.isEmpty { flushLine() }
    headerHash = header.finish()
    stage = .body
    body.reset(seed: headerHash.rawValue)
  }

  /// - Parameters:
  ///   - serverSize: bytes with CRLF, which the LF form no longer tells.
  ///   - stub: the line above a message of which parts are missing.
  package mutating func finish(serverSize: UInt64, asCame: Bool, stub: StubLine? = nil)
    -> MessageDigest
  {
    if stage == .header { endHeader() }
    return MessageDigest(
      serverSize: stub?.size ?? serverSize, headerHash: headerHash,
      contentHash: ContentHash(body.value),
      asCame: asCame, nativeLabels: Keywords(header.labels.flatMap { KeywordText.list($0) }),
      isStub: stub != nil)
  }
}

extension MessageDigest {
  /// Of server bytes that are all in memory, or of their header alone (then `headerHash` is what
  /// counts).
  package static func of(serverBytes: UnsafeRawBufferPointer, labelName: String?) -> MessageDigest {
    var hasher = MessageHasher(labelName: labelName)
    var step = LineConverter.Step()
    withUnsafeTemporaryAllocation(byteCount: max(1, serverBytes.count), alignment: 16) { room in
      guard let start = room.baseAddress else { return }
      step = LineConverter.toLF(serverBytes, into: start, isLast: true)
      hasher.feed(UnsafeRawBufferPointer(rebasing: room[..<step.written]))
    }
    return hasher.finish(serverSize: UInt64(serverBytes.count), asCame: !step.isReversible)
  }
}
