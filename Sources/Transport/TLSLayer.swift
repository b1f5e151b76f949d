import COpenSSL

/// TLS over a socket: handshake with verification, then bytes.
final class TLSLayer {
  private let socket: Socket
  let ssl: OpaquePointer
  private let record: TLSHandshakeRecord
  /// A failure met after some bytes had come; the next call reports it.
  private var pendingFailure: TransportError?
  private var isBroken = false
  /// The last read filled its buffer, or there was none since the handshake: more may be decrypted already.
  private var mayHoldMore = true

  var mayHoldBytes: Bool { mayHoldMore || pendingFailure != nil }

  private var endpoint: Endpoint { socket.endpoint }

  /// Does the handshake; nothing is trusted before the host's certificate is.
  init(over socket: Socket, policy: TLSPolicy, before deadline: Deadline) throws(TransportError) {
    self.socket = socket
    ssl = try policy.context.makeConnection(to: socket.endpoint)
    record = TLSHandshakeRecord(endpoint: socket.endpoint, sessions: policy.context.sessions)
    guard let bio = SocketBIO.make(over: socket) else {
      throw .handshake(socket.endpoint, reason: "out of memory")
    }
    SSL_set_bio(ssl, bio, bio)
    record.attach(to: ssl)
    try nameServer()
    if let session = policy.context.sessions?.session(for: socket.endpoint) {
      SSL_set_session(ssl, session)
      SSL_SESSION_free(session)
    }
    try handshake(before: deadline)
  }

  deinit { SSL_free(ssl) }

  private func nameServer() throws(TransportError) {
    let name = endpoint.certificateName
    let parameters = SSL_get0_param(ssl)
    if X509_VERIFY_PARAM_set1_ip_asc(parameters, name) == 1 { return }  // SNI is for names only
    SSL_set_hostflags(ssl, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    // An empty name would switch the check off.
    guard !name.isEmpty, SSL_set1_host(ssl, name) == 1,
      mirror_ssl_set_server_name(ssl, name) == 1
    else { throw .handshake(endpoint, reason: "the host name cannot be verified") }
  }

  private func handshake(before deadline: Deadline) throws(TransportError) {
    while true {
      try socket.throwIfInterrupted()
      ERR_clear_error()
      let status = SSL_connect(ssl)
      if status == 1 { break }
      switch SSL_get_error(ssl, status) {
      case SSL_ERROR_WANT_READ: try socket.wait(for: .readable, before: deadline, .handshake)
      case SSL_ERROR_WANT_WRITE: try socket.wait(for: .writable, before: deadline, .handshake)
      case let kind:
        isBroken = true
        throw handshakeFailure(kind)
      }
    }
    guard SSL_get_verify_result(ssl) == X509_V_OK else {
      isBroken = true
      throw .certificate(.other(reason: "it could not be verified"), endpoint)
    }
  }

  private func handshakeFailure(_ kind: Int32) -> TransportError {
    if let problem = record.problem { return .certificate(problem, endpoint) }
    guard let reason = OpenSSLReason.take() else {
      if kind == SSL_ERROR_SYSCALL, socket.lastError != 0 { return socket.error(socket.lastError) }
      return .handshake(endpoint, reason: "the server closed the connection")
    }
    switch reason.code {
    case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, SSL_R_VERSION_TOO_LOW:
      return .protocolTooOld(endpoint)
    case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_PACKET_LENGTH_TOO_LONG,
      SSL_R_BAD_RECORD_TYPE:
      return .notTLS(endpoint)
    default: return .handshake(endpoint, reason: reason.words)
    }
  }

  /// Fills the buffer with what has come, waiting only for the first byte. 0: the peer has ended.
  func read(into buffer: UnsafeMutableRawBufferPointer, before deadline: Deadline)
    throws(TransportError) -> Int
  {
    guard let base = buffer.baseAddress else { return 0 }
    if let failure = pendingFailure { throw failure }
    var total = 0
    mayHoldMore = false
    while true {
      ERR_clear_error()
      var count = 0
      let status = SSL_read_ex(ssl, base + total, buffer.count - total, &count)
      if status == 1 {
        total += count
        if SSL_has_pending(ssl) == 0 { return total }
        if total == buffer.count {
          mayHoldMore = true
          return total
        }
        continue
      }
      let kind = SSL_get_error(ssl, status)
      if total > 0 {
        if kind == SSL_ERROR_SSL || kind == SSL_ERROR_SYSCALL { pendingFailure = failure(kind) }
        return total
      }
      switch kind {
      case SSL_ERROR_WANT_READ: try socket.wait(for: .readable, before: deadline, .reading)
      case SSL_ERROR_WANT_WRITE: try socket.wait(for: .writable, before: deadline, .reading)
      case SSL_ERROR_ZERO_RETURN: return 0
      default: throw failure(kind)
      }
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer, before deadline: Deadline) throws(TransportError) {
    var rest = bytes
    while let base = rest.baseAddress, !rest.isEmpty {
      ERR_clear_error()
      var count = 0
      let status = SSL_write_ex(ssl, base, rest.count, &count)
      if status == 1 {
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        continue
      }
      try socket.throwIfInterrupted()
      switch SSL_get_error(ssl, status) {
      case SSL_ERROR_WANT_READ: try socket.wait(for: .readable, before: deadline, .writing)
      case SSL_ERROR_WANT_WRITE: try socket.wait(for: .writable, before: deadline, .writing)
      case SSL_ERROR_ZERO_RETURN: throw .closed(endpoint)
      case let kind: throw failure(kind)
      }
    }
  }

  /// Says good-bye if that goes at once; waits for nothing.
  func shutDown() {
    guard !isBroken else { return }
    ERR_clear_error()
    SSL_shutdown(ssl)
    ERR_clear_error()
  }

  private func failure(_ kind: Int32) -> TransportError {
    isBroken = true
    if let reason = OpenSSLReason.take() { return .io(endpoint, reason: "TLS: " + reason.words) }
    if kind == SSL_ERROR_SYSCALL, socket.lastError != 0 { return socket.error(socket.lastError) }
    return .closed(endpoint)
  }
}
