/// How TLS is done for one account: whom to trust; sessions are resumed between its connections.
///
/// Copies share one OpenSSL context and one session cache, so make it once and hand it to every
/// connection. TLS 1.2 is the least, and certificates are always verified; neither can be switched off.
package struct TLSPolicy: Sendable {
  let context: TLSContext

  /// - Parameters:
  ///   - caFile: PEM certificates to trust beside the system's: authorities, or the server's own.
  ///   - resumesSessions: false makes every handshake a full one.
  package init(caFile: String? = nil, resumesSessions: Bool = true) {
    context = TLSContext(caFile: caFile, sessions: resumesSessions ? TLSSessionCache() : nil)
  }

  init(context: TLSContext) { self.context = context }
}
