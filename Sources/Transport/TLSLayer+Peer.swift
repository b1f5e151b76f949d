import COpenSSL
import SASL

/// What was agreed with the server, for `doctor` and the log.
package struct TLSInfo: Sendable, Equatable {
  /// `TLSv1.3`
  package let version: String
  package let cipher: String
  /// The handshake was shortened by a session of an earlier connection.
  package let resumed: Bool
  package let certificate: PeerCertificate?
}

extension TLSLayer {
  var info: TLSInfo {
    TLSInfo(
      version: SSL_get_version(ssl).map { String(cString: $0) } ?? "",
      cipher: SSL_CIPHER_get_name(SSL_get_current_cipher(ssl)).map { String(cString: $0) } ?? "",
      resumed: SSL_session_reused(ssl) == 1,
      certificate: withPeerCertificate { PeerCertificate($0) })
  }

  /// nil where the channel does not allow this kind.
  func channelBinding(_ kind: ChannelBinding.Kind) -> [UInt8]? {
    switch kind {
    case .tlsExporter: exportedKey()
    case .tlsUnique: firstFinished()
    case .tlsServerEndPoint: withPeerCertificate(Self.endPointHash) ?? nil
    }
  }

  var preferredChannelBinding: ChannelBinding? {
    let kinds: [ChannelBinding.Kind] =
      SSL_version(ssl) >= TLS1_3_VERSION
      ? [.tlsExporter, .tlsServerEndPoint] : [.tlsUnique, .tlsServerEndPoint]
    for kind in kinds {
      if let data = channelBinding(kind) { return ChannelBinding(kind: kind, data: data) }
    }
    return nil
  }

  // RFC 9266 §2: label "EXPORTER-Channel-Binding", empty context, 32 bytes; before TLS 1.3 only with the
  // extended master secret (§4.2).
  private func exportedKey() -> [UInt8]? {
    guard SSL_version(ssl) >= TLS1_3_VERSION || mirror_ssl_has_extended_master_secret(ssl) == 1
    else { return nil }
    let label = "EXPORTER-Channel-Binding"
    var key = [UInt8](repeating: 0, count: 32)
    let context: [UInt8] = [0]
    let status = SSL_export_keying_material(
      ssl, &key, key.count, label, label.utf8.count, context, 0, 1)
    return status == 1 ? key : nil
  }

  // RFC 5929 §3.1: the first Finished message of the handshake, the client's in a full one and the server's
  // in a resumed one. TLS 1.3 has no such binding, and without the extended master secret two channels
  // can be made to share it (RFC 7627).
  private func firstFinished() -> [UInt8]? {
    guard SSL_version(ssl) < TLS1_3_VERSION, mirror_ssl_has_extended_master_secret(ssl) == 1
    else { return nil }
    var message = [UInt8](repeating: 0, count: 64)
    let length =
      SSL_session_reused(ssl) == 1
      ? SSL_get_peer_finished(ssl, &message, message.count)
      : SSL_get_finished(ssl, &message, message.count)
    return length > 0 && length <= message.count ? Array(message.prefix(length)) : nil
  }

  // RFC 5929 §4.1: the certificate hashed by its signature's digest, MD5 and SHA-1 replaced by SHA-256;
  // undefined where the signature has none.
  private static func endPointHash(_ certificate: OpaquePointer) -> [UInt8]? {
    var digest: Int32 = 0
    guard X509_get_signature_info(certificate, &digest, nil, nil, nil) == 1, digest != NID_undef
    else { return nil }
    if digest == NID_md5 || digest == NID_sha1 { digest = NID_sha256 }
    guard let algorithm = mirror_digest_by_nid(digest) else { return nil }
    var hash = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    guard X509_digest(certificate, algorithm, &hash, &length) == 1 else { return nil }
    return Array(hash.prefix(Int(length)))
  }

  private func withPeerCertificate<R>(_ body: (OpaquePointer) -> R) -> R? {
    guard let certificate = mirror_ssl_peer_certificate(ssl) else { return nil }
    defer { X509_free(certificate) }
    return body(certificate)
  }
}

extension TLSInfo: CustomStringConvertible {
  package var description: String {
    version + ", " + cipher + (resumed ? ", resumed" : "")
      + (certificate.map { ", certificate of \($0.subject) until \($0.notAfter)" } ?? "")
  }
}
