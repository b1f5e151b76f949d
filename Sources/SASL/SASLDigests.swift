/// The cryptography that mechanisms need, brought by whoever links a library for it.
package struct SASLDigests: Sendable {
  package enum Algorithm: Sendable, CaseIterable {
    case md5, sha1, sha256

    /// Bytes of a digest.
    package var length: Int {
      switch self {
      case .md5: 16
      case .sha1: 20
      case .sha256: 32
      }
    }
  }

  package var hash: @Sendable (Algorithm, _ message: [UInt8]) throws(SASLError) -> [UInt8]
  /// RFC 2104.
  package var hmac:
    @Sendable (Algorithm, _ key: [UInt8], _ message: [UInt8]) throws(SASLError) -> [UInt8]
  /// PBKDF2 with HMAC, one digest long (RFC 5802 calls it Hi).
  package var pbkdf2:
    @Sendable (Algorithm, _ password: [UInt8], _ salt: [UInt8], _ iterations: Int)
      throws(SASLError) -> [UInt8]
  /// From a cryptographic source.
  package var randomBytes: @Sendable (_ count: Int) throws(SASLError) -> [UInt8]
  /// Unicode normalisation form KC, which SASLprep asks for.
  package var compatibilityNormalised: @Sendable (String) -> String

  package init(
    hash: @escaping @Sendable (Algorithm, [UInt8]) throws(SASLError) -> [UInt8],
    hmac: @escaping @Sendable (Algorithm, [UInt8], [UInt8]) throws(SASLError) -> [UInt8],
    pbkdf2: @escaping @Sendable (Algorithm, [UInt8], [UInt8], Int) throws(SASLError) -> [UInt8],
    randomBytes: @escaping @Sendable (Int) throws(SASLError) -> [UInt8],
    compatibilityNormalised: @escaping @Sendable (String) -> String
  ) {
    self.hash = hash
    self.hmac = hmac
    self.pbkdf2 = pbkdf2
    self.randomBytes = randomBytes
    self.compatibilityNormalised = compatibilityNormalised
  }
}
