import MailCore
import SASL
import Transport

/// Proof Key for Code Exchange with S256 (RFC 7636): whoever steals the code cannot use it.
package struct ProofKey: Sendable {
  /// Leaves only towards the token endpoint.
  package let verifier: Secret
  package let challenge: String

  /// 32 random bytes, as §4.1 recommends.
  package init(_ digests: SASLDigests = .openSSL) throws(OAuthError) {
    try self.init(verifier: RandomText.make(digests), digests)
  }

  package init(verifier: String, _ digests: SASLDigests = .openSSL) throws(OAuthError) {
    self.verifier = Secret(verifier)
    do throws(SASLError) {
      challenge = RandomText.urlSafe(try digests.hash(.sha256, Array(verifier.utf8)))
    } catch {
      throw .cryptography
    }
  }
}

/// Unguessable text for addresses.
enum RandomText {
  /// 43 letters, 256 bits.
  static func make(_ digests: SASLDigests) throws(OAuthError) -> String {
    do throws(SASLError) {
      return urlSafe(try digests.randomBytes(32))
    } catch {
      throw .cryptography
    }
  }

  /// Base 64 without padding (RFC 4648 §5).
  static func urlSafe(_ bytes: [UInt8]) -> String {
    let letters = Base64.encode(bytes).compactMap { byte -> UInt8? in
      switch byte {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      case UInt8(ascii: "="): nil
      default: byte
      }
    }
    return String(decoding: letters, as: UTF8.self)
  }
}
