import COpenSSL
import MailCore

/// What is wrong with a server's certificate. Texts come from the certificate, visible and bounded.
package enum CertificateProblem: Equatable, Sendable {
  case selfSigned(subject: String)
  case unknownIssuer(issuer: String)
  case expired(on: String)
  case notYetValid(until: String)
  /// `names`: what the certificate is for.
  case wrongHost(names: String)
  case revoked
  case tooWeak(reason: String)
  case other(reason: String)

  /// - Parameter code: an `X509_V_ERR_…`.
  init(code: Int32, certificate: PeerCertificate?) {
    switch code {
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      self = .selfSigned(subject: certificate?.subject ?? "")
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
      X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE,
      X509_V_ERR_CERT_UNTRUSTED:
      self = .unknownIssuer(issuer: certificate?.issuer ?? "")
    case X509_V_ERR_CERT_HAS_EXPIRED: self = .expired(on: certificate?.notAfter ?? "")
    case X509_V_ERR_CERT_NOT_YET_VALID: self = .notYetValid(until: certificate?.notBefore ?? "")
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
      self = .wrongHost(names: certificate?.names ?? "")
    case X509_V_ERR_CERT_REVOKED: self = .revoked
    case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_CA_MD_TOO_WEAK:
      self = .tooWeak(reason: Self.words(code))
    default: self = .other(reason: Self.words(code))
    }
  }

  private static func words(_ code: Int32) -> String {
    X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "error \(code)"
  }

  /// A refusal with its reason; there is no way to go on in spite of it.
  func explanation(at endpoint: Endpoint) -> Explanation {
    Explanation(
      problem: "The certificate of \(endpoint) is refused: \(reason(for: endpoint)).",
      remedy: remedy, exitStatus: .unreachable)
  }

  private func reason(for endpoint: Endpoint) -> String {
    switch self {
    case .selfSigned(let subject): "it is self-signed (\(subject))"
    case .unknownIssuer(let issuer): "nobody this system trusts has issued it (issuer: \(issuer))"
    case .expired(let date): "it expired on \(date)"
    case .notYetValid(let date): "it is not valid before \(date)"
    case .wrongHost(let names):
      "it is not for “\(endpoint.host.visible)” but for \(names.isEmpty ? "no name" : names)"
    case .revoked: "it was revoked"
    case .tooWeak(let reason), .other(let reason): reason
    }
  }

  private var remedy: String {
    switch self {
    case .selfSigned, .unknownIssuer:
      "If it is your own server, put its certificate or its authority's into a file and name that in `ca-file`."
    case .expired: "The server's certificate has to be renewed; check this computer's clock too."
    case .notYetValid: "Check this computer's clock."
    case .wrongHost: "Set `host` to the name that the certificate is for."
    case .revoked, .tooWeak, .other: "Ask whoever runs the server."
    }
  }
}
