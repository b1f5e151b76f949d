import COpenSSL
import MailCore

/// What a certificate says about itself, as text for people: visible, and at most 300 characters each.
package struct PeerCertificate: Sendable, Equatable {
  package let subject: String
  package let issuer: String
  /// Subject alternative names, or nothing.
  package let names: String
  package let notBefore: String
  package let notAfter: String
  /// Unix seconds; nil where the date cannot be read.
  package let expires: Int64?

  init(_ certificate: OpaquePointer) {
    subject = Self.text { bio in
      X509_NAME_print_ex(bio, X509_get_subject_name(certificate), 0, Self.nameFormat) >= 0
    }
    issuer = Self.text { bio in
      X509_NAME_print_ex(bio, X509_get_issuer_name(certificate), 0, Self.nameFormat) >= 0
    }
    names = Self.text { bio in
      let index = X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1)
      guard index >= 0, let entry = X509_get_ext(certificate, index) else { return false }
      return X509V3_EXT_print(bio, entry, 0, 0) == 1
    }
    notBefore = Self.text { ASN1_TIME_print($0, X509_get0_notBefore(certificate)) == 1 }
    notAfter = Self.text { ASN1_TIME_print($0, X509_get0_notAfter(certificate)) == 1 }
    expires = Self.unixSeconds(X509_get0_notAfter(certificate))
  }

  // XN_FLAG_SEP_COMMA_PLUS, with ASN1_STRFLGS_ESC_CTRL | ESC_2253 | UTF8_CONVERT: UTF-8 stays readable.
  private static let nameFormat: UInt = (2 << 16) | 0x1 | 0x2 | 0x10

  private static func text(_ print: (OpaquePointer) -> Bool) -> String {
    guard let bio = mirror_bio_memory() else { return "" }
    defer { BIO_free(bio) }
    guard print(bio) else { return "" }
    var bytes: UnsafeMutablePointer<CChar>?
    let count = min(mirror_bio_bytes(bio, &bytes), 300)
    guard let bytes, count > 0 else { return "" }
    let raw = UnsafeRawBufferPointer(start: bytes, count: count)
    return String(decoding: raw, as: UTF8.self).visible
  }

  private static func unixSeconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
    guard let time, let epoch = ASN1_TIME_set(nil, 0) else { return nil }
    defer { ASN1_STRING_free(epoch) }
    var days: Int32 = 0
    var seconds: Int32 = 0
    guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
    return Int64(days) * 86_400 + Int64(seconds)
  }
}
