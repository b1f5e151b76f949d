import MailCore

/// SCRAM (RFC 5802, RFC 7677): proves the password without sending it, and makes the server do the same.
struct SCRAMExchange: Sendable {
  private enum State: Sendable {
    case first
    case proved(serverSignature: [UInt8])
    case verified, failed
  }

  /// Rounds above this would let a server hold us in arithmetic for many seconds.
  static let iterationLimit = 10_000_000

  private let mechanism: SASLMechanism
  private let algorithm: SASLDigests.Algorithm
  private let digests: SASLDigests
  private let password: Secret
  private let header: [UInt8]
  private let bindingData: [UInt8]
  private let nonce: [UInt8]
  private let firstBare: [UInt8]
  private var state = State.first
  private(set) var serverError: String?

  /// gs2-header and client-first-message-bare.
  var firstMessage: [UInt8] { header + firstBare }

  init(
    _ mechanism: SASLMechanism, credential: SASLCredential, offered: [String],
    context: SASLContext
  ) throws(SASLError) {
    self.mechanism = mechanism
    algorithm =
      mechanism == .scramSHA1 || mechanism == .scramSHA1Plus ? .sha1 : .sha256
    digests = context.digests
    password = try Self.prepared(credential.secret, mechanism, digests: context.digests)
    let user = try Self.prepared(credential.user, mechanism, digests: context.digests)
    let flag = try Self.bindingFlag(mechanism, offered: offered, context: context)
    let authorization =
      credential.authorization.isEmpty
      ? "" : "a=" + SCRAMText.escaped(credential.authorization)
    header = Array("\(flag),\(authorization),".utf8)
    bindingData = mechanism.isChannelBound ? context.channelBinding?.data ?? [] : []
    nonce = Base64.encode(try context.digests.randomBytes(18))
    firstBare = Array("n=\(SCRAMText.escaped(user)),r=".utf8) + nonce
  }

  mutating func respond(to challenge: [UInt8]) throws(SASLError) -> [UInt8] {
    switch state {
    case .first: return try prove(serverFirst: challenge)
    case .proved(let signature):
      state = .failed
      try verify(serverFinal: challenge, against: signature)
      state = .verified
      return []
    case .verified, .failed: throw .malformedChallenge(mechanism, reason: "one message too many")
    }
  }

  /// The server has proved that it knows the password.
  var isVerified: Bool {
    if case .verified = state { true } else { false }
  }

  /// The server has got something to judge the password by.
  var hasProved: Bool {
    if case .first = state { false } else { true }
  }

  func succeeded() throws(SASLError) {
    guard isVerified else { throw .serverNotVerified(mechanism) }
  }

  /// The server turned the exchange down without having judged the password.
  ///
  /// Servers cannot say which bindings they know: most refuse one they don't at the first message, some
  /// with the error that RFC 5802 §7 has for it.
  var bindingWasRefused: Bool {
    guard mechanism.isChannelBound else { return false }
    if case .first = state { return true }
    switch serverError {
    case "unsupported-channel-binding-type", "channel-bindings-dont-match",
      "channel-binding-not-supported":
      return true
    default: return false
    }
  }

  // gs2-cbind-flag = ("p=" cb-name) / "n" / "y"; RFC 5802 §6. "y" says: we could bind, but you did not
  // offer it. A server that did offer it then knows that someone cut its list.
  private static func bindingFlag(
    _ mechanism: SASLMechanism, offered: [String], context: SASLContext
  ) throws(SASLError) -> String {
    guard mechanism.isChannelBound else {
      let known = offered.compactMap(SASLMechanism.init(name:))
      let plusSeen = known.contains { $0.isChannelBound }
      return context.channelBinding == nil || plusSeen ? "n" : "y"
    }
    guard let binding = context.channelBinding else {
      throw .unusableCredential(mechanism, reason: "the connection has no channel to bind to")
    }
    return "p=" + binding.kind.rawValue
  }

  // server-first-message = [reserved-mext ","] nonce "," salt "," iteration-count ["," extensions]
  private mutating func prove(serverFirst: [UInt8]) throws(SASLError) -> [UInt8] {
    state = .failed
    guard let attributes = SCRAMText.attributes(serverFirst), let lead = attributes.first else {
      throw .malformedChallenge(mechanism, reason: "no attributes")
    }
    if lead.key == UInt8(ascii: "e") { throw refusal(lead.value) }
    guard attributes.count >= 3, lead.key == UInt8(ascii: "r"),
      attributes[1].key == UInt8(ascii: "s"), attributes[2].key == UInt8(ascii: "i")
    else { throw .malformedChallenge(mechanism, reason: "nonce, salt and count expected") }
    guard lead.value.count > nonce.count, lead.value.starts(with: nonce) else {
      throw .foreignNonce(mechanism)
    }
    guard let salt = Base64.decode(attributes[1].value), !salt.isEmpty else {
      throw .malformedChallenge(mechanism, reason: "the salt is no Base64")
    }
    guard let rounds = SCRAMText.number(attributes[2].value) else {
      throw .malformedChallenge(mechanism, reason: "the iteration count is no number")
    }
    guard rounds <= Self.iterationLimit else { throw .iterationCount(mechanism, rounds) }
    return try proof(
      nonce: Array(lead.value), salt: salt, rounds: rounds, serverFirst: serverFirst)
  }

  private mutating func proof(nonce: [UInt8], salt: [UInt8], rounds: Int, serverFirst: [UInt8])
    throws(SASLError) -> [UInt8]
  {
    let salted = try digests.pbkdf2(algorithm, password.withBytes { $0 }, salt, rounds)
    let clientKey = try digests.hmac(algorithm, salted, Array("Client Key".utf8))
    let storedKey = try digests.hash(algorithm, clientKey)
    let serverKey = try digests.hmac(algorithm, salted, Array("Server Key".utf8))

    let withoutProof =
      Array("c=".utf8) + Base64.encode(header + bindingData) + Array(",r=".utf8) + nonce
    let comma = [UInt8(ascii: ",")]
    let authMessage = firstBare + comma + serverFirst + comma + withoutProof
    let clientSignature = try digests.hmac(algorithm, storedKey, authMessage)
    let signature = try digests.hmac(algorithm, serverKey, authMessage)
    guard clientSignature.count == clientKey.count, signature.count == algorithm.length else {
      throw .cryptography(reason: "a digest of the wrong length")
    }
    let proof = zip(clientKey, clientSignature).map { $0 ^ $1 }
    state = .proved(serverSignature: signature)
    return withoutProof + Array(",p=".utf8) + Base64.encode(proof)
  }

  // server-final-message = (server-error / verifier) ["," extensions]
  private mutating func verify(serverFinal: [UInt8], against expected: [UInt8]) throws(SASLError) {
    guard let lead = SCRAMText.attributes(serverFinal)?.first else {
      throw .malformedChallenge(mechanism, reason: "no server signature")
    }
    if lead.key == UInt8(ascii: "e") { throw refusal(lead.value) }
    guard lead.key == UInt8(ascii: "v"), let signature = Base64.decode(lead.value) else {
      throw .malformedChallenge(mechanism, reason: "no server signature")
    }
    guard Self.equal(signature, expected) else { throw .wrongServerSignature(mechanism) }
  }

  private mutating func refusal(_ value: ArraySlice<UInt8>) -> SASLError {
    let reason = String(decoding: value.prefix(200), as: UTF8.self).visible
    serverError = reason
    return .refused(mechanism, reason: reason)
  }

  /// Takes the same time wherever the first difference lies.
  private static func equal(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a.count == b.count && zip(a, b).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private static func prepared(
    _ text: String, _ mechanism: SASLMechanism, digests: SASLDigests
  ) throws(SASLError) -> String {
    switch SASLPrep.prepare(text, compatibilityNormalised: digests.compatibilityNormalised) {
    case .success(let prepared): return prepared
    case .failure(let failure): throw .unusableCredential(mechanism, reason: failure.reason)
    }
  }

  /// A password that is no UTF-8 can only be meant as the bytes it is.
  private static func prepared(
    _ secret: Secret, _ mechanism: SASLMechanism, digests: SASLDigests
  ) throws(SASLError) -> Secret {
    let bytes = secret.withBytes { $0 }
    guard bytes.contains(where: { $0 < 0x20 || $0 >= 0x7F }),
      let text = String(validating: bytes, as: UTF8.self)
    else { return secret }
    return Secret(try prepared(text, mechanism, digests: digests))
  }
}
