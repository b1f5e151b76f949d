import MailCore

/// PLAIN (RFC 4616): everything in one message.
struct PlainExchange: Sendable {
  private let secretMessage: Secret

  var message: [UInt8] { secretMessage.withBytes { $0 } }

  init(_ credential: SASLCredential) throws(SASLError) {
    let password = credential.secret.withBytes { $0 }
    let identities = Array(credential.authorization.utf8) + [0] + Array(credential.user.utf8)
    guard !credential.user.utf8.contains(0), !credential.authorization.utf8.contains(0),
      !password.contains(0)
    else { throw .unusableCredential(.plain, reason: "it contains a NUL character") }
    secretMessage = Secret(identities + [0] + password)
  }
}

/// LOGIN (draft-murchison-sasl-login): two questions whose wording nobody agrees on.
struct LoginExchange: Sendable {
  private enum State { case user, password, finished }
  private let user: [UInt8]
  private let password: Secret
  private var state = State.user

  init(_ credential: SASLCredential) throws(SASLError) {
    user = Array(credential.user.utf8)
    password = credential.secret
  }

  mutating func respond() throws(SASLError) -> [UInt8] {
    switch state {
    case .user:
      state = .password
      return user
    case .password:
      state = .finished
      return password.withBytes { $0 }
    case .finished: throw .malformedChallenge(.login, reason: "one question too many")
    }
  }
}

/// EXTERNAL (RFC 4422 appendix A): the channel below already knows who we are.
struct ExternalExchange: Sendable {
  let message: [UInt8]

  init(_ credential: SASLCredential) { message = Array(credential.authorization.utf8) }
}
