import COpenSSL
import Foundation

/// Certificates made by the tests, in a directory of their own: one authority, and what it issued.
final class TestCertificates: Sendable {
  static let shared = TestCertificates()

  let directory: String
  var authority: String { directory + "/authority.pem" }

  /// A PEM file with certificate and key.
  func file(_ name: String) -> String { directory + "/\(name).pem" }

  private init() {
    directory = NSTemporaryDirectory() + "mirror-certificates-\(getpid())"
    try! FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
    let day = 86_400
    atexit { try? FileManager.default.removeItem(atPath: TestCertificates.shared.directory) }
    let issuer = Issued(name: "Test Authority", names: nil, from: -day, to: day, by: nil)
    issuer.write(to: authority)
    let both = "DNS:localhost,IP:127.0.0.1"
    Issued(name: "good", names: both, from: -day, to: day, by: issuer).write(to: file("good"))
    Issued(name: "expired", names: both, from: -9 * day, to: -day, by: issuer)
      .write(to: file("expired"))
    Issued(name: "future", names: both, from: day, to: 9 * day, by: issuer)
      .write(to: file("future"))
    Issued(
      name: "other", names: "DNS:mail.example.org,DNS:*.example.net", from: -day, to: day,
      by: issuer
    )
    .write(to: file("other"))
    Issued(name: "nameonly", names: "DNS:localhost", from: -day, to: day, by: issuer)
      .write(to: file("nameonly"))
    Issued(name: "selfsigned\u{1B}[31m", names: both, from: -day, to: day, by: nil)
      .write(to: file("selfsigned"))
  }
}

/// A key and its certificate; self-signed without an issuer.
private final class Issued {
  let key: OpaquePointer
  let certificate: OpaquePointer

  init(name: String, names: String?, from: Int, to: Int, by issuer: Issued?) {
    let generator = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil)
    EVP_PKEY_keygen_init(generator)
    EVP_PKEY_CTX_set_ec_paramgen_curve_nid(generator, NID_X9_62_prime256v1)
    var made: OpaquePointer?
    EVP_PKEY_keygen(generator, &made)
    EVP_PKEY_CTX_free(generator)
    key = made!
    certificate = X509_new()!
    X509_set_version(certificate, 2)
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), Int.random(in: 1...Int(Int32.max)))
    X509_gmtime_adj(X509_getm_notBefore(certificate), from)
    X509_gmtime_adj(X509_getm_notAfter(certificate), to)
    let subject = X509_get_subject_name(certificate)
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_FLAG | 1, name, -1, -1, 0)
    X509_set_issuer_name(
      certificate, issuer.map { X509_get_subject_name($0.certificate) } ?? subject)
    X509_set_pubkey(certificate, key)
    extend(NID_basic_constraints, names == nil ? "critical,CA:TRUE" : "CA:FALSE")
    if let names { extend(NID_subject_alt_name, names) }
    X509_sign(certificate, issuer?.key ?? key, EVP_sha256())
  }

  deinit {
    X509_free(certificate)
    EVP_PKEY_free(key)
  }

  private func extend(_ kind: Int32, _ value: String) {
    let entry = X509V3_EXT_conf_nid(nil, nil, kind, value)
    X509_add_ext(certificate, entry, -1)
    X509_EXTENSION_free(entry)
  }

  func write(to path: String) {
    let bio = BIO_new_file(path, "w")
    PEM_write_bio_X509(bio, certificate)
    PEM_write_bio_PrivateKey(bio, key, nil, nil, 0, nil, nil)
    BIO_free(bio)
  }
}
