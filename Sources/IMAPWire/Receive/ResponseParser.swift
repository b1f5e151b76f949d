#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Turns the bytes of a connection into ``ResponseEvent``s, incrementally and without a socket.
///
/// Bodies stream: their bytes are handed out where the socket put them. Everything else is parsed
/// once it is whole, within ``ParserLimits``. What fits no grammar becomes `.unrecognised`, its
/// literals still counted, so one odd response never shifts the ones behind it.
package struct ResponseParser: ~Copyable {
  private var buffer: ReceiveBuffer
  private var state = State.start
  /// Where the search for the response's end goes on; ahead of what is there within a literal.
  private var scanned = 0
  /// Where the current line of the segment begins: behind its last kept literal.
  private var lineStart = 0
  private var kind = ResponseKind.other
  /// The items of the current FETCH before its last body; nil while none was handed out.
  private var beforeBody: FetchData?
  private var fetch: FetchReader
  private var reader: ResponseReader
  private let limits: ParserLimits

  private enum State {
    case start
    /// Within FETCH's list, with a segment in the buffer.
    case items(ResponseSegment)
    /// A body that stood as a quoted string in `segment`: its bytes, then its end, then go on.
    case inlineBody(ResponseSegment, start: Int, count: Int)
    /// A body literal.
    case body(left: UInt64)
    /// Within FETCH's list, behind a literal.
    case moreItems
    /// A literal that nobody wants.
    case skipping(left: UInt64, inFetch: Bool)
    /// Within a long SEARCH, whose numbers are taken as they come.
    case searching(SearchReader)
    /// The rest of a response that was given up.
    case discarding
  }

  package init(names: MailboxNameCoding = MailboxNameCoding(), limits: ParserLimits = .standard) {
    buffer = ReceiveBuffer(capacity: limits.buffer)
    fetch = FetchReader(limits: limits)
    reader = ResponseReader(names: names, limits: limits)
    self.limits = limits
  }

  /// How names are read; UTF-8 from the moment that ENABLED says so.
  package var names: MailboxNameCoding { reader.names }

  /// Lets `read` write to the parser's buffer, and returns what it returned: 0 at the end of the stream.
  package mutating func fill<E: Error>(
    _ read: (UnsafeMutableRawBufferPointer) throws(E) -> Int
  ) throws(E) -> Int {
    let count = try read(buffer.makeRoom())
    buffer.filled(count)
    return count
  }

  /// Copies bytes in; for tests and for what was decompressed elsewhere.
  package mutating func feed(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while !rest.isEmpty {
      _ = fill { room in
        let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(room.count))
        room.copyMemory(from: piece)
        rest = rest.dropFirst(piece.count)
        return piece.count
      }
    }
  }

  /// Bytes received but not yet parsed; STARTTLS must find none, COMPRESS hands them to inflate.
  package var buffered: Int { buffer.count }

  package mutating func takeBuffered() -> [UInt8] {
    let bytes = Array(buffer.unread)
    consume(bytes.count)
    return bytes
  }

  /// The next event, or nil until more bytes are there.
  ///
  /// - Throws: ``WireError`` past the limits; the connection can't be used any more.
  package mutating func next() throws(WireError) -> ResponseEvent? {
    while true {
      switch state {
      case .start:
        guard let segment = try frame() else {
          guard beginSearch() else { return nil }
          continue
        }
        guard kind == .fetch else { return readWhole(segment) }
        beforeBody = nil
        var items = segment
        items.at = fetch.begin(UnsafeRawBufferPointer(rebasing: buffer.unread[..<segment.length]))
        state = .items(items)
      case .moreItems:
        guard let segment = try frame() else { return nil }
        state = .items(segment)
      case .items(let segment):
        if let event = readItems(segment) { return event }
      case .inlineBody(let segment, let start, let count):
        if count > 0 {
          state = .inlineBody(segment, start: start, count: 0)
          return .bodyBytes(UnsafeRawBufferPointer(rebasing: buffer.unread[start..<start + count]))
        }
        state = .items(segment)
        return .bodyEnds
      case .body(0):
        state = .moreItems
        return .bodyEnds
      case .body(let left):
        guard !buffer.isEmpty else { return nil }
        let slice = UnsafeRawBufferPointer(
          rebasing: buffer.unread.prefix(Int(clamping: left)))
        consume(slice.count)
        state = .body(left: left - UInt64(slice.count))
        return .bodyBytes(slice)
      case .skipping(0, let inFetch):
        state = inFetch ? .moreItems : .discarding
      case .skipping(let left, let inFetch):
        guard !buffer.isEmpty else { return nil }
        let count = min(buffer.count, Int(clamping: left))
        consume(count)
        state = .skipping(left: left - UInt64(count), inFetch: inFetch)
      case .searching(let search):
        state = .discarding  // the search's storage has one owner from here on
        let (event, isWaiting) = try readNumbers(search)
        if event != nil || isWaiting { return event }
      case .discarding:
        guard let segment = try frame() else { return nil }
        leave(segment, inFetch: false)
      }
    }
  }

  // MARK: Framing

  /// Finds the end of the segment at the head of the buffer, or nil until it is there.
  private mutating func frame() throws(WireError) -> ResponseSegment? {
    let bytes = buffer.unread
    while scanned < bytes.count, let base = bytes.baseAddress,
      let found = memchr(base + scanned, 0x0A, bytes.count - scanned)
    {
      let total = UnsafeRawPointer(found) - base + 1
      var length = total - 1
      if length > lineStart, bytes[length - 1] == UInt8(ascii: "\r") { length -= 1 }
      if lineStart == 0, case .start = state {
        kind = ResponseKind(UnsafeRawBufferPointer(rebasing: bytes[..<length]))
      }
      guard kind != .text, let literal = LiteralMark(endOf: bytes, from: lineStart, to: length)
      else { return ResponseSegment(length: length, total: total, ending: .complete) }
      guard literal.size <= limits.body else { throw .literalTooLarge(literal.size) }
      if kind == .fetch, BodySection.standsBefore(literal.start, in: bytes) {
        return ResponseSegment(length: literal.start, total: total, ending: .body(literal.size))
      }
      let (behind, overflow) = total.addingReportingOverflow(Int(clamping: literal.size))
      guard literal.size <= limits.keptLiteral, !overflow, behind <= limits.response else {
        return ResponseSegment(length: literal.start, total: total, ending: .tooLarge(literal.size))
      }
      scanned = behind
      lineStart = behind
    }
    guard bytes.count <= limits.response else {
      throw .responseTooLong(limit: limits.response)
    }
    scanned = max(scanned, bytes.count)  // it lies ahead while a literal is awaited
    return nil
  }

  private mutating func consume(_ count: Int) {
    buffer.consume(count)
    scanned = 0
    lineStart = 0
  }

  /// Leaves a segment behind; what comes next follows from how it ended.
  private mutating func leave(_ segment: ResponseSegment, inFetch: Bool) {
    consume(segment.total)
    switch segment.ending {
    case .complete: state = .start
    case .body(let size), .tooLarge(let size): state = .skipping(left: size, inFetch: inFetch)
    }
  }

  /// A response that is no FETCH, or can't be followed.
  private mutating func readWhole(_ segment: ResponseSegment) -> ResponseEvent {
    let bytes = UnsafeRawBufferPointer(rebasing: buffer.unread[..<segment.length])
    let event: ResponseEvent
    if case .complete = segment.ending {
      event = reader.read(bytes)
    } else if SearchReader(beginning: bytes) != nil {
      event = .untagged(SearchReader.unreadable)
    } else {
      event = .untagged(.unrecognised(Array(bytes.prefix(1024))))
    }
    leave(segment, inFetch: false)
    return event
  }

  // MARK: SEARCH

  private mutating func beginSearch() -> Bool {
    guard buffer.count > limits.searchPiece, lineStart == 0,
      let search = SearchReader(beginning: buffer.unread)
    else { return false }
    consume(search.bytesTaken)
    kind = .other
    state = .searching(search)
    return true
  }

  private mutating func readNumbers(
    _ begun: consuming SearchReader
  ) throws(WireError) -> (ResponseEvent?, isWaiting: Bool) {
    var search = begun
    if let segment = try frame() {
      var cursor = WireCursor(UnsafeRawBufferPointer(rebasing: buffer.unread[..<segment.length]))
      var response = SearchReader.unreadable
      if case .complete = segment.ending { response = search.finish(&cursor) }
      leave(segment, inFetch: false)
      return (.untagged(response), false)
    }
    // Behind a literal's announcement nothing is a number any more.
    if buffer.count > limits.searchPiece, lineStart == 0 {
      consume(search.take(buffer.unread))
      guard search.bytesTaken <= limits.search else {
        throw .responseTooLong(limit: limits.search)
      }
    }
    state = .searching(search)
    return (nil, true)
  }

  // MARK: FETCH

  private mutating func readItems(_ segment: ResponseSegment) -> ResponseEvent? {
    let bytes = UnsafeRawBufferPointer(rebasing: buffer.unread[..<segment.length])
    switch fetch.read(bytes, from: segment.at, names: reader.names) {
    case .closed(let end):
      // Words behind the list tell that a parenthesis within it was none of its own.
      guard case .complete = segment.ending, bytes[end...].allSatisfy({ $0 == UInt8(ascii: " ") })
      else { return giveUp(segment) }
      leave(segment, inFetch: false)
      return .fetched(fetch.data)
    case .exhausted(let section):
      switch (segment.ending, section) {
      case (.body(let size), let section?):
        consume(segment.total)
        state = .body(left: size)
        beforeBody = fetch.data
        return .bodyBegins(fetch.data, section: section, size: Int(clamping: size))
      // The list's end is missing, or a literal stands where no value can.
      case (.complete, _), (.body, nil): return giveUp(segment)
      case (.tooLarge, _):
        leave(segment, inFetch: true)
        return nil
      }
    case .inlineBody(let section, let text, let resumeAt):
      let count = text.isEscaped ? buffer.unescape(text.start..<text.end) : text.count
      var rest = segment
      rest.at = resumeAt
      state = .inlineBody(rest, start: text.start, count: count)
      beforeBody = fetch.data
      return .bodyBegins(fetch.data, section: section, size: count)
    case .failed: return giveUp(segment)
    }
  }

  /// The items can't be followed: what stood before a body that was handed out still counts.
  private mutating func giveUp(_ segment: ResponseSegment) -> ResponseEvent {
    guard var data = beforeBody else { return readUnrecognised(segment) }
    leave(segment, inFetch: false)
    data.isDamaged = true
    return .fetched(data)
  }

  private mutating func readUnrecognised(_ segment: ResponseSegment) -> ResponseEvent {
    let bytes = Array(buffer.unread.prefix(min(segment.length, 1024)))
    leave(segment, inFetch: false)
    return .untagged(.unrecognised(bytes))
  }
}
