import Foundation

/// What a domain's DNS says of its description: that there is one, and which (draft-ietf-mailmaint-pacc-02):
/// `v=UAAC1; a=sha256; d=BASE64`.
struct PACCDigest: Sendable, Equatable {
  /// SHA-256 of the description, byte for byte.
  let sha256: [UInt8]

  /// The name that has the record.
  static func name(_ domain: String) -> String { "_ua-auto-config.\(domain)" }

  /// Nil for a record of another kind, of a later version, or with a digest that is not known here.
  init?(_ record: String) {
    var tags: [Substring: Substring] = [:]
    for part in record.split(separator: ";") {
      let pair = part.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " }[...] }
      guard pair.count == 2, tags[pair[0]] == nil else { return nil }
      tags[pair[0]] = pair[1]
    }
    guard tags["v"] == "UAAC1", tags["a"] == "sha256",
      let digest = tags["d"].flatMap({ Data(base64Encoded: String($0)) }), digest.count == 32
    else { return nil }
    sha256 = Array(digest)
  }
}
