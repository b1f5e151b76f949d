import SASL

/// A connection to a server: a socket, TLS over it, compression over that. Belongs to one thread.
///
/// Every call blocks until it is done, its deadline passes, or the interrupt is triggered. A read that
/// timed out may be repeated; after any other error the stream is good for `close` only.
package final class NetworkStream {
  package enum Security: Sendable {
    case plain
    case implicit(TLSPolicy)
  }

  package let endpoint: Endpoint
  private let socket: Socket
  private var layer: TLSLayer?
  private var deflate: DeflateLayer?
  private var transcript: WireTranscript?

  /// Set while authenticating: what is sent, and what the server's `+` lines hold, stays out of the log.
  package var hidesTraffic: Bool {
    get { transcript?.hidesTraffic ?? false }
    set { transcript?.hidesTraffic = newValue }
  }

  /// What the log must not show from now on, on this connection or another that shares it.
  package func hide(_ mask: SecretMask) { transcript?.hide(mask) }

  private init(socket: Socket, log: WireLog?) {
    endpoint = socket.endpoint
    self.socket = socket
    transcript = log.map { WireTranscript(log: $0) }
  }

  deinit { close() }

  /// Looks the name up, connects to the first address that answers, and does the TLS handshake if asked.
  ///
  /// - Parameters:
  ///   - place: where to connect in place of the endpoint's host, whose name the certificate must still have.
  ///   - onlyPublic: whether no address of this machine or of a network of one's own will do.
  package static func connect(
    _ endpoint: Endpoint, at place: String? = nil, onlyPublic: Bool = false,
    security: Security,
    interrupt: Interrupt? = nil, log: WireLog? = nil,
    before deadline: Deadline = .after(seconds: 30)
  ) throws(TransportError) -> NetworkStream {
    let socket = try ConnectionRace.connect(
      endpoint, at: place, onlyPublic: onlyPublic, interrupt: interrupt, before: deadline)
    let stream = NetworkStream(socket: socket, log: log)
    if case .implicit(let policy) = security {
      try stream.secure(policy, before: deadline)
    }
    return stream
  }

  /// Reads what has come, at most the buffer's size, and waits only for the first byte.
  ///
  /// - Returns: at least 1; 0 once the peer has ended the connection, with or without TLS's close_notify.
  package func read(
    into buffer: UnsafeMutableRawBufferPointer, before deadline: Deadline
  ) throws(TransportError) -> Int {
    precondition(!buffer.isEmpty, "nothing can be read into an empty buffer")
    try socket.throwIfInterrupted()
    let count =
      if let deflate {
        try deflate.read(into: buffer) { input throws(TransportError) in
          try readBelow(into: input, before: deadline)
        }
      } else {
        try readBelow(into: buffer, before: deadline)
      }
    if transcript != nil {
      transcript?.received(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)))
    }
    return count
  }

  /// Waits until there is something to read, or the bell rings.
  ///
  /// The next read may find nothing all the same, as where a TLS record has come in part: give it a deadline that has
  /// passed.
  package func awaitBytes(
    or bell: Doorbell, before deadline: Deadline
  ) throws(TransportError) -> ByteWait {
    try socket.throwIfInterrupted()
    // What has come out of the socket already, poll(2) does not know.
    if deflate?.mayHoldBytes == true || layer?.mayHoldBytes == true { return .bytes }
    return try socket.waitForBytes(or: bell, before: deadline)
  }

  /// Sends everything, or throws: how much went out then is unknown.
  ///
  /// It does not read meanwhile, so whoever pipelines keeps the commands without answer below some 64 KiB.
  /// - Parameter logAs: what the log shows instead of the bytes.
  package func write(
    _ bytes: UnsafeRawBufferPointer, before deadline: Deadline, logAs: String? = nil
  ) throws(TransportError) {
    try socket.throwIfInterrupted()
    transcript?.sent(bytes, shownAs: logAs)
    if let deflate {
      try deflate.write(bytes) { output throws(TransportError) in
        try writeBelow(output, before: deadline)
      }
    } else {
      try writeBelow(bytes, before: deadline)
    }
  }

  package func write(_ bytes: [UInt8], before deadline: Deadline, logAs: String? = nil)
    throws(TransportError)
  {
    try bytes.withUnsafeBufferPointer { buffer throws(TransportError) in
      try write(UnsafeRawBufferPointer(buffer), before: deadline, logAs: logAs)
    }
  }

  /// Goes on in TLS, after the server has agreed to STARTTLS.
  ///
  /// - Throws: `.bytesBeforeTLS` if the server has sent anything more in plain text. What the caller holds
  ///   in a buffer of its own is the caller's to refuse.
  package func startTLS(_ policy: TLSPolicy, before deadline: Deadline) throws(TransportError) {
    precondition(layer == nil && deflate == nil, "TLS comes first, and once")
    if socket.hasUnreadBytes() { throw .bytesBeforeTLS(endpoint) }
    try secure(policy, before: deadline)
  }

  private func secure(_ policy: TLSPolicy, before deadline: Deadline) throws(TransportError) {
    let layer = try TLSLayer(over: socket, policy: policy, before: deadline)
    self.layer = layer
    if let transcript { transcript.note(layer.info.description) }
  }

  /// Goes on compressed, after the server has agreed to COMPRESS DEFLATE (RFC 4978).
  ///
  /// - Parameter alreadyRead: bytes that followed the server's consent in the caller's buffer; copied.
  package func startCompression(
    alreadyRead: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
  ) throws(TransportError) {
    precondition(deflate == nil, "compression starts once")
    deflate = try DeflateLayer(endpoint: endpoint, alreadyRead: alreadyRead)
    transcript?.note("compressed from here on")
  }

  /// Ends the connection at once; whatever is underway is lost. May be called again.
  package func close() {
    guard socket.descriptor >= 0 else { return }
    layer?.shutDown()
    socket.close()
  }

  package var isEncrypted: Bool { layer != nil }
  package var isCompressed: Bool { deflate != nil }
  /// TLS ended without close_notify, so that somebody on the way may have cut off the end of what the peer sent.
  package var endWasCut: Bool { layer != nil && socket.sawEnd }
  package var tls: TLSInfo? { layer?.info }
  /// By the peer's address, whatever its name.
  package var isPeerLoopback: Bool { socket.peer.isLoopback }
  /// On the wire, with TLS's overhead and after compression.
  package var bytesReceived: UInt64 { socket.bytesReceived }
  package var bytesSent: UInt64 { socket.bytesSent }
  /// Sent, and not confirmed by the peer's system.
  package var unacknowledged: Int { socket.unacknowledged }
  /// See ``ByteStream/interrupt``.
  package var interrupt: Interrupt? {
    get { socket.interrupt }
    set { socket.interrupt = newValue }
  }
  /// See ``ByteStream/dropsUnsentBytes``.
  package var dropsUnsentBytes: Bool {
    get { socket.dropsUnsentBytes }
    set { socket.dropsUnsentBytes = newValue }
  }

  /// nil on a plain connection, and where the channel does not allow this kind.
  package func channelBinding(_ kind: ChannelBinding.Kind) -> [UInt8]? {
    layer?.channelBinding(kind)
  }

  /// What -PLUS mechanisms bind to: tls-exporter with TLS 1.3, tls-unique before, else
  /// tls-server-end-point.
  package var preferredChannelBinding: ChannelBinding? { layer?.preferredChannelBinding }

  private func readBelow(into buffer: UnsafeMutableRawBufferPointer, before deadline: Deadline)
    throws(TransportError) -> Int
  {
    if let layer { return try layer.read(into: buffer, before: deadline) }
    guard let base = buffer.baseAddress else { return 0 }
    while true {
      switch socket.receive(base, buffer.count) {
      case .moved(let count): return count
      case .ended: return 0
      case .wouldBlock: try socket.wait(for: .readable, before: deadline, .reading)
      case .failed(let code): throw socket.error(code)
      }
    }
  }

  private func writeBelow(_ bytes: UnsafeRawBufferPointer, before deadline: Deadline)
    throws(TransportError)
  {
    if let layer { return try layer.write(bytes, before: deadline) }
    var rest = bytes
    while let base = rest.baseAddress, !rest.isEmpty {
      switch socket.send(base, rest.count) {
      case .moved(let count): rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      case .ended: throw .closed(endpoint)
      case .wouldBlock: try socket.wait(for: .writable, before: deadline, .writing)
      case .failed(let code): throw socket.error(code)
      }
    }
  }
}
