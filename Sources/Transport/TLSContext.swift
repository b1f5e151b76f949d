import COpenSSL
import Synchronization

/// One SSL_CTX, made at first use and shared by all connections of a policy.
final class TLSContext: Sendable {
  private struct Handle: @unchecked Sendable {  // OpenSSL locks a configured SSL_CTX for its users
    let pointer: OpaquePointer
  }

  let sessions: TLSSessionCache?
  private let caFile: String?
  private let systemBundle: String?
  private let handle = Mutex<Handle?>(nil)

  /// - Parameter systemBundle: in place of the system's trust, for tests.
  init(caFile: String?, sessions: TLSSessionCache?, systemBundle: String? = nil) {
    self.caFile = caFile
    self.systemBundle = systemBundle
    self.sessions = sessions
  }

  deinit {
    handle.withLock { if let handle = $0 { SSL_CTX_free(handle.pointer) } }
  }

  /// A connection's SSL, without a BIO yet.
  func makeConnection(to endpoint: Endpoint) throws(TransportError) -> OpaquePointer {
    let shared = try handle.withLock { handle throws(TransportError) -> Handle in
      if let handle { return handle }
      let made = Handle(pointer: try makeContext(for: endpoint))
      handle = made
      return made
    }
    guard let ssl = SSL_new(shared.pointer) else { throw Self.failure(endpoint) }
    return ssl
  }

  private func makeContext(for endpoint: Endpoint) throws(TransportError) -> OpaquePointer {
    // Other threads may be inside OpenSSL when the program exits: its exit handler must not free the
    // ground below them.
    OPENSSL_init_ssl(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    ERR_clear_error()
    guard let context = SSL_CTX_new(TLS_client_method()) else { throw Self.failure(endpoint) }
    do throws(TransportError) {
      try requireModernTLS(context, endpoint)
      try loadTrust(context, endpoint)
    } catch {
      SSL_CTX_free(context)
      throw error
    }
    // Auto-retry stays on: with read-ahead, a ticket may stand before data that is already in OpenSSL's
    // buffer, and poll would wait for bytes that have come.
    mirror_ssl_ctx_set_mode(
      context,
      Int(
        SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_AUTO_RETRY))
    mirror_ssl_ctx_set_read_ahead(context)
    SSL_CTX_set_default_read_buffer_len(context, 128 << 10)  // about eight records in one recv
    mirror_ssl_ctx_set_options(context)
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER) { accepted, store in
      TLSHandshakeRecord.of(store)?.noteVerification(accepted: accepted == 1, store)
      return accepted
    }
    if sessions != nil {
      mirror_ssl_ctx_set_client_cache(context)
      SSL_CTX_sess_set_new_cb(context) { ssl, session in
        guard let session, let record = TLSHandshakeRecord.of(ssl: ssl) else { return 0 }
        return record.keep(session) ? 1 : 0
      }
    }
    return context
  }

  /// The system's openssl.cnf may ask for more than TLS 1.2, not for less.
  private func requireModernTLS(_ context: OpaquePointer, _ endpoint: Endpoint)
    throws(TransportError)
  {
    let highest = mirror_ssl_ctx_max_version(context)
    if highest != 0, highest < TLS1_2_VERSION {
      guard mirror_ssl_ctx_set_max_version(context, 0) == 1 else { throw Self.failure(endpoint) }
    }
    if mirror_ssl_ctx_min_version(context) < TLS1_2_VERSION {
      guard mirror_ssl_ctx_set_min_version(context, TLS1_2_VERSION) == 1 else {
        throw Self.failure(endpoint)
      }
    }
  }

  private func loadTrust(_ context: OpaquePointer, _ endpoint: Endpoint) throws(TransportError) {
    if let caFile {
      ERR_clear_error()
      guard SSL_CTX_load_verify_file(context, caFile) == 1 else {
        throw .trustFile(
          path: caFile, reason: OpenSSLReason.take()?.words ?? "no certificate in it")
      }
      // A server's own certificate in the file is trusted, whoever issued it.
      X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), UInt(X509_V_FLAG_PARTIAL_CHAIN))
    }
    guard SystemTrust.add(to: context, bundle: systemBundle) else { throw Self.failure(endpoint) }
  }

  private static func failure(_ endpoint: Endpoint) -> TransportError {
    .handshake(endpoint, reason: OpenSSLReason.take()?.words ?? "OpenSSL cannot be set up")
  }
}
