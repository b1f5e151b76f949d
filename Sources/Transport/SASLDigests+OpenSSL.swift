import COpenSSL
import Foundation
import SASL

extension SASLDigests {
  /// Digests and randomness from OpenSSL, normalisation from Foundation.
  package static let openSSL = SASLDigests(
    hash: { algorithm, message throws(SASLError) in
      var digest = [UInt8](repeating: 0, count: algorithm.length)
      let status = EVP_Digest(message, message.count, &digest, nil, algorithm.method, nil)
      guard status == 1 else { throw failure() }
      return digest
    },
    hmac: { algorithm, key, message throws(SASLError) in
      var digest = [UInt8](repeating: 0, count: algorithm.length)
      // A null key would mean "the key from before".
      let key = key.isEmpty ? [0] : key
      let made = HMAC(
        algorithm.method, key, Int32(clamping: key.count), message, message.count, &digest, nil)
      guard made != nil else { throw failure() }
      return digest
    },
    pbkdf2: { algorithm, password, salt, iterations throws(SASLError) in
      var key = [UInt8](repeating: 0, count: algorithm.length)
      let status = password.withUnsafeBytes { bytes in
        PKCS5_PBKDF2_HMAC(
          bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: bytes.count),
          salt, Int32(clamping: salt.count), Int32(clamping: iterations), algorithm.method,
          Int32(algorithm.length), &key)
      }
      guard status == 1 else { throw failure() }
      return key
    },
    randomBytes: { count throws(SASLError) in
      var bytes = [UInt8](repeating: 0, count: count)
      guard RAND_bytes(&bytes, Int32(clamping: count)) == 1 else { throw failure() }
      return bytes
    },
    compatibilityNormalised: { $0.precomposedStringWithCompatibilityMapping })

  private static func failure() -> SASLError {
    .cryptography(reason: OpenSSLReason.take()?.words ?? "no reason given")
  }
}

extension SASLDigests.Algorithm {
  fileprivate var method: OpaquePointer? {
    switch self {
    case .md5: EVP_md5()
    case .sha1: EVP_sha1()
    case .sha256: EVP_sha256()
    }
  }
}
