/// Makes an answer of the bytes of a connection that carries one answer alone (RFC 9112). Owns no socket.
///
/// It keeps no more than what was fed and the header; what comes after the answer is not read.
package struct HTTPResponseParser: Sendable {
  package enum Event: Sendable, Equatable {
    /// Comes once, and first: informational answers before it are skipped.
    case head(HTTPResponseHead)
    /// At least one byte of the body, without its chunks' marks.
    case body([UInt8])
    /// Comes once, and last.
    case end
  }

  private enum State {
    case statusLine, fields
    case counted(left: Int)
    case chunkSize
    case chunk(left: Int)
    case chunkEnd
    case trailers, untilClose, finished
  }

  /// For all lines of a header in bytes: of the informational answers, of the answer itself, and of its trailers.
  package static let headLimit = 64 << 10
  /// For the line that begins a chunk, with its extensions.
  static let chunkLineLimit = 4 << 10

  private var state = State.statusLine
  private var buffer = LineBuffer()
  private var status = 0
  private var fields: [HTTPField] = []
  private var headRoom = Self.headLimit
  private var hasBegun = false

  package init() {}

  package mutating func feed(_ bytes: some Sequence<UInt8>) {
    buffer.append(bytes)
    if !buffer.isEmpty { hasBegun = true }
  }

  /// The next event, or nil until more bytes are fed.
  ///
  /// - Throws: what the server did wrong; close the connection.
  package mutating func next() throws(HTTPWireError) -> Event? {
    while true {
      switch state {
      case .statusLine:
        guard let line = try headLine() else { return nil }
        guard !line.isEmpty else { continue }  // an empty line before an answer means nothing
        status = try HTTPResponseHead.status(of: line)
        state = .fields
      case .fields:
        guard let line = try headLine() else { return nil }
        guard line.isEmpty else {
          try add(line)
          continue
        }
        if let head = try endHead() { return .head(head) }
      case .counted(let left):
        guard left > 0 else { return finish() }
        guard let bytes = buffer.bytes(atMost: left) else { return nil }
        state = .counted(left: left - bytes.count)
        return .body(bytes)
      case .chunkSize:
        guard let line = try buffer.line(limit: Self.chunkLineLimit, else: .malformedChunk) else {
          return nil
        }
        let size = try Self.chunkSize(line)
        state = size == 0 ? .trailers : .chunk(left: size)
      case .chunk(let left):
        guard let bytes = buffer.bytes(atMost: left) else { return nil }
        state = bytes.count == left ? .chunkEnd : .chunk(left: left - bytes.count)
        return .body(bytes)
      case .chunkEnd:
        guard let line = try buffer.line(limit: 2, else: .malformedChunk) else { return nil }
        guard line.isEmpty else { throw .malformedChunk }
        state = .chunkSize
      case .trailers:
        guard let line = try headLine() else { return nil }
        guard !line.isEmpty else { return finish() }
        try add(line)
      case .untilClose: return buffer.bytes(atMost: .max).map { .body($0) }
      case .finished: return nil
      }
    }
  }

  /// Takes note that the server has closed the connection, once `next` has no more events.
  ///
  /// - Parameter isProper: false where TLS was cut off without its good-bye: then a body without a known length may
  ///   lack its end.
  /// - Returns: `.end` where the answer ends with the connection; nil where it has ended before.
  /// - Throws: `.truncated` or `.noAnswer` where more had to come.
  package mutating func connectionEnded(isProper: Bool) throws(HTTPWireError) -> Event? {
    switch state {
    case .finished: return nil
    case .untilClose where isProper: return finish()
    case .statusLine where !hasBegun: throw .noAnswer
    case .statusLine, .fields, .counted, .chunkSize, .chunk, .chunkEnd, .trailers, .untilClose:
      throw .truncated
    }
  }

  private mutating func headLine() throws(HTTPWireError) -> [UInt8]? {
    let tooLarge = HTTPWireError.headTooLarge(limit: Self.headLimit)
    guard let line = try buffer.line(limit: headRoom, else: tooLarge) else { return nil }
    headRoom -= line.count + 2
    return line
  }

  private mutating func add(_ line: [UInt8]) throws(HTTPWireError) {
    guard line.first == 0x20 || line.first == 0x09 else {
      fields.append(try HTTPField(line: line))
      return
    }
    guard !fields.isEmpty else { throw .malformedField }
    try fields[fields.count - 1].unfold(line)
  }

  /// Nil for an informational answer (RFC 9110 §15.2), after which the final one comes.
  private mutating func endHead() throws(HTTPWireError) -> HTTPResponseHead? {
    let fields = fields
    self.fields = []
    if status < 200 {
      guard status != 101 else { throw .notHTTP }  // nobody asked for another protocol
      state = .statusLine
      return nil
    }
    let head = try HTTPResponseHead(status: status, fields: fields)
    switch head.framing {
    case .none: state = .counted(left: 0)
    case .counted(let length): state = .counted(left: length)
    case .chunked: state = .chunkSize
    case .untilClose: state = .untilClose
    }
    return head
  }

  private mutating func finish() -> Event {
    state = .finished
    return .end
  }

  // chunk-size [ chunk-ext ], chunk-size = 1*HEXDIG, chunk-ext = *( BWS ";" … ); RFC 9112 §7.1. Extensions are ignored.
  private static func chunkSize(_ line: [UInt8]) throws(HTTPWireError) -> Int {
    let end = line.firstIndex(of: UInt8(ascii: ";")) ?? line.endIndex
    var digits = line[..<end]
    while let last = digits.last, last == 0x20 || last == 0x09 { digits.removeLast() }
    guard let size = Digits.number(digits, radix: 16), HTTPField.isValue(line[end...]) else {
      throw .malformedChunk
    }
    return size
  }
}
