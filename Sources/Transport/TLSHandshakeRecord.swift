import COpenSSL

/// What OpenSSL's callbacks have to tell about one connection; reached through the SSL's application data.
final class TLSHandshakeRecord {
  private let endpoint: Endpoint
  private let sessions: TLSSessionCache?
  private(set) var problem: CertificateProblem?

  init(endpoint: Endpoint, sessions: TLSSessionCache?) {
    self.endpoint = endpoint
    self.sessions = sessions
  }

  /// The record must outlive the SSL.
  func attach(to ssl: OpaquePointer) {
    SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
  }

  static func of(ssl: OpaquePointer?) -> TLSHandshakeRecord? {
    guard let ssl, let data = SSL_get_ex_data(ssl, 0) else { return nil }
    return Unmanaged<TLSHandshakeRecord>.fromOpaque(data).takeUnretainedValue()
  }

  static func of(_ store: OpaquePointer?) -> TLSHandshakeRecord? {
    guard let store,
      let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx())
    else { return nil }
    return of(ssl: OpaquePointer(ssl))
  }

  /// Keeps the first problem, with the names of the certificate that has it.
  func noteVerification(accepted: Bool, _ store: OpaquePointer?) {
    guard !accepted, problem == nil, let store else { return }
    let certificate = X509_STORE_CTX_get_current_cert(store) ?? X509_STORE_CTX_get0_cert(store)
    problem = CertificateProblem(
      code: X509_STORE_CTX_get_error(store), certificate: certificate.map(PeerCertificate.init))
  }

  func keep(_ session: OpaquePointer) -> Bool {
    guard let sessions, problem == nil else { return false }
    sessions.keep(session, for: endpoint)
    return true
  }
}
