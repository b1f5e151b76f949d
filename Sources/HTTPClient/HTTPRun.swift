import HTTPWire
import Transport

/// One exchange. **Blocks**: on a thread of its own.
struct HTTPRun: Sendable {
  let request: HTTPRequest
  let place: String?
  let caFile: String?
  let reach: HTTPExchange.Reach
  let bodyLimit: Int
  /// By when the connection must stand.
  let connected: Deadline
  /// By when the answer must be there.
  let done: Deadline
  let interrupt: Interrupt
  let wantsBody: @Sendable (HTTPResponseHead) -> Bool
  let hasRoom: @Sendable (Int) -> Bool

  var result: Result<HTTPResponse, HTTPFailure> {
    do throws(HTTPFailure) {
      return .success(try run())
    } catch {
      return .failure(error)
    }
  }

  private func run() throws(HTTPFailure) -> HTTPResponse {
    let bytes = try wire { () throws(HTTPWireError) in try request.encoded() }
    let stream = try network { () throws(TransportError) in try connect() }
    defer { stream.close() }
    guard request.address.isEncrypted || stream.isPeerLoopback || reach == .publicPlaces else {
      throw .notEncrypted
    }
    try network { () throws(TransportError) in
      try bytes.withBytes { bytes throws(TransportError) in
        try stream.write(bytes, before: done)
      }
    }
    return try answer(from: stream)
  }

  private func connect() throws(TransportError) -> NetworkStream {
    let address = request.address
    return try NetworkStream.connect(
      Endpoint(host: address.host, port: address.port), at: place,
      onlyPublic: reach == .publicPlaces,
      security: address.isEncrypted
        ? .implicit(TLSPolicy(caFile: caFile, resumesSessions: false)) : .plain,
      interrupt: interrupt, before: connected)
  }

  private func answer(from stream: NetworkStream) throws(HTTPFailure) -> HTTPResponse {
    var parser = HTTPResponseParser()
    var collected = Collected(limit: bodyLimit)
    var room = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      while let event = try wire({ () throws(HTTPWireError) in try parser.next() }) {
        if case .body(let bytes) = event, !hasRoom(bytes.count) {
          throw .bodyTooLarge(limit: bodyLimit)
        }
        if let response = try collected.add(event, wantsBody) { return response }
      }
      let count = try network { () throws(TransportError) in
        try room.withUnsafeMutableBufferPointer { bytes throws(TransportError) in
          try stream.read(into: UnsafeMutableRawBufferPointer(bytes), before: done)
        }
      }
      // A server that never pauses is as late as one that says nothing.
      guard !done.hasPassed else { throw .timedOut }
      guard count == 0 else {
        parser.feed(room[..<count])
        continue
      }
      let isProper = !stream.endWasCut
      let last = try wire { () throws(HTTPWireError) in
        try parser.connectionEnded(isProper: isProper)
      }
      if let last, let response = try collected.add(last, wantsBody) { return response }
      throw .malformed(.truncated)
    }
  }

  // MARK: Errors

  private func wire<Value>(_ work: () throws(HTTPWireError) -> Value) throws(HTTPFailure) -> Value {
    do throws(HTTPWireError) {
      return try work()
    } catch {
      throw .malformed(error)
    }
  }

  private func network<Value>(_ work: () throws(TransportError) -> Value) throws(HTTPFailure)
    -> Value
  {
    do throws(TransportError) {
      return try work()
    } catch {
      switch error {
      case .interrupted: throw .interrupted
      case .timedOut where done.hasPassed: throw .timedOut
      default: throw .transport(error)
      }
    }
  }
}

/// What has come of an answer.
private struct Collected {
  let limit: Int
  private var head: HTTPResponseHead?
  private var body: [UInt8] = []

  init(limit: Int) { self.limit = limit }

  /// The answer, once nothing more of it is wanted.
  mutating func add(
    _ event: HTTPResponseParser.Event, _ wantsBody: (HTTPResponseHead) -> Bool
  ) throws(HTTPFailure) -> HTTPResponse? {
    switch event {
    case .head(let head):
      self.head = head
      guard wantsBody(head) else { return HTTPResponse(head: head, body: []) }
      if case .counted(let length) = head.framing, length > limit {
        throw .bodyTooLarge(limit: limit)
      }
      return nil
    case .body(let bytes):
      body += bytes
      guard body.count <= limit else { throw .bodyTooLarge(limit: limit) }
      return nil
    case .end: return head.map { HTTPResponse(head: $0, body: body) }
    }
  }
}
