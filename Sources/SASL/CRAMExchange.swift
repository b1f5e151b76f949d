import MailCore

/// CRAM-MD5 (RFC 2195): user name and keyed digest of the server's challenge.
struct CRAMExchange: Sendable {
  private let user: [UInt8]
  private let password: Secret
  private let digests: SASLDigests
  private var answered = false

  init(_ credential: SASLCredential, digests: SASLDigests) throws(SASLError) {
    user = Array(credential.user.utf8)
    password = credential.secret
    self.digests = digests
  }

  mutating func respond(to challenge: [UInt8]) throws(SASLError) -> [UInt8] {
    guard !answered else { throw .malformedChallenge(.cramMD5, reason: "one challenge too many") }
    guard !challenge.isEmpty else {
      throw .malformedChallenge(.cramMD5, reason: "the challenge is empty")
    }
    answered = true
    let digest = try digests.hmac(.md5, password.withBytes { $0 }, challenge)
    return user + [UInt8(ascii: " ")] + Hexadecimal.lower(digest)
  }

  func succeeded() throws(SASLError) {
    guard answered else {
      throw .malformedChallenge(.cramMD5, reason: "success without a challenge")
    }
  }
}

enum Hexadecimal {
  static func lower(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  }
}
