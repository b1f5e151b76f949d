import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reading a message file back in the server's terms.
extension MaildirFolder {
  /// Streams the bytes that the server sent: without our keywords line, with CRLF unless they came
  /// otherwise.
  ///
  /// - Parameter asCame: from the message's digest; nil works it out from the file: one that has a
  ///   CR holds the bytes as they came.
  package func readServerBytes(
    of file: MessageFile, asCame: Bool?, policy: MaildirPolicy,
    _ body: (UnsafeRawBufferPointer) throws(MaildirError) -> Void
  ) throws(MaildirError) {
    let source = try MessageSource.open(file, in: self)
    let start = try source.front(policy).count
    var keepsBytes = policy.lineEndings == .crlf
    if !keepsBytes {
      if let asCame { keepsBytes = asCame } else { keepsBytes = try source.hasCR(behind: start) }
    }
    try source.blocks(from: start, endings: keepsBytes ? .lf : .crlf, body)
  }

  /// Hashes and size as ``DeliveryWriter`` computed them for the same message.
  ///
  /// Of a stub the size is that of its whole message, and the content hash that of what is here.
  ///
  /// - Parameter asCame: from the state; nil works it out, which a message with bare LF and no CR
  ///   defeats: its size then comes out too large.
  package func digest(of file: MessageFile, asCame: Bool? = nil, policy: MaildirPolicy)
    throws(MaildirError) -> MessageDigest
  {
    let source = try MessageSource.open(file, in: self)
    return try source.digest(behind: source.front(policy), asCame: asCame, policy: policy)
  }

  /// How long the message is where each of its line ends is CRLF, as many servers make those of an upload.
  package func sizeWithCRLF(of file: MessageFile, policy: MaildirPolicy) throws(MaildirError)
    -> UInt64
  {
    let source = try MessageSource.open(file, in: self)
    var size: UInt64 = 0
    var last: UInt8 = 0
    try source.blocks(from: source.front(policy).count) { bytes in
      for byte in bytes {
        size += byte == ASCII.lf && last != ASCII.cr ? 2 : 1
        last = byte
      }
    }
    return size
  }

  /// The header without our line, with the empty line behind it, at most `limit` bytes; line ends
  /// as stored.
  package func header(of file: MessageFile, policy: MaildirPolicy, limit: Int = 256 * 1024)
    throws(MaildirError) -> [UInt8]
  {
    let source = try MessageSource.open(file, in: self)
    let start = try source.front(policy).count
    var size = 8192
    while true {
      let head = try source.head(start + min(size, limit))
      let header = head[min(start, head.count)...]
      if let end = HeaderFields.end(of: header) { return Array(header[..<end]) }
      if head.count < start + size || size >= limit { return Array(header) }
      size *= 4
    }
  }
}

extension MessageSource {
  func hasCR(behind start: Int) throws(MaildirError) -> Bool {
    var found = false
    try blocks(from: start) { bytes in
      if let start = bytes.baseAddress, memchr(start, Int32(ASCII.cr), bytes.count) != nil {
        found = true
      }
    }
    return found
  }

  /// Digest of the bytes after our lines.
  func digest(behind front: FrontLines, asCame known: Bool?, policy: MaildirPolicy)
    throws(MaildirError) -> MessageDigest
  {
    var hasher = MessageHasher(labelName: policy.labelName)
    var tally = ServerForm()
    let raw = ByteBuffer(capacity: CopyBlocks.blockSize + 1)
    let converted = ByteBuffer(capacity: CopyBlocks.blockSize + 1)
    try blocks(from: front.count) { bytes in
      raw.append(bytes)
      Self.convert(raw, into: converted, isLast: false, tally: &tally)
      hasher.feed(converted.bytes)
    }
    Self.convert(raw, into: converted, isLast: true, tally: &tally)
    hasher.feed(converted.bytes)
    let asCame = known ?? tally.asCame(policy.lineEndings)
    return hasher.finish(
      serverSize: tally.serverSize(asCame: asCame, policy), asCame: asCame,
      stub: front.stubLine)
  }

  private static func convert(
    _ raw: ByteBuffer, into converted: ByteBuffer, isLast: Bool, tally: inout ServerForm
  ) {
    converted.clear()
    guard let room = converted.room.baseAddress else { return }
    let step = LineConverter.toLF(raw.bytes, into: room, isLast: isLast)
    tally.count(step)
    converted.grow(by: step.written)
    raw.consume(step.read)
  }
}

/// What the file tells about the form in which the server sent the message.
private struct ServerForm {
  private var stored: UInt64 = 0
  private var lineFeeds: UInt64 = 0
  private var hasCR = false
  private var isReversible = true

  mutating func count(_ step: LineConverter.Step) {
    stored += UInt64(step.read)
    lineFeeds += UInt64(step.pairs + step.bareLineFeeds)
    hasCR = hasCR || step.pairs + step.bareReturns > 0
    isReversible = isReversible && step.isReversible
  }

  /// In a tree with LF a CR is a sign that the bytes were kept; in one with CRLF, an irregular line
  /// end.
  ///
  /// A message that came with bare LF alone cannot be told from a converted one: its state knows.
  func asCame(_ endings: LineEndings) -> Bool {
    switch endings {
    case .lf: hasCR
    case .crlf: !isReversible
    }
  }

  func serverSize(asCame: Bool, _ policy: MaildirPolicy) -> UInt64 {
    asCame || policy.lineEndings == .crlf ? stored : stored + lineFeeds
  }
}
