import Foundation
import MailCore

/// Sessions that a secret opened, as long as they last.
///
/// A server that refuses another one beside them does not mean the secret: where an account has as many connections as
/// it may have, many only say NO. Nor does it show the opposite: a password may be changed while sessions go on. So none is
/// tried beside them any more when two were refused, until one was let in: alone, or by another secret.
package final class LetInSessions: @unchecked Sendable {  // `lock` guards all that changes
  private struct LetIn {
    let secret: Secret
    weak var session: AnyObject?
  }

  private let lock = NSLock()
  private var all: [LetIn] = []
  private var refusal: (secret: Secret, words: String, count: Int)?

  private static let mostRefusals = 2

  /// It is forgotten when it has gone.
  package func add(_ session: AnyObject, by secret: Secret) {
    lock.withLock {
      all.removeAll { $0.session == nil }
      all.append(LetIn(secret: secret, session: session))
      refusal = nil
    }
  }

  /// Another one beside these was refused, without a word on why.
  package func noteRefusal(of secret: Secret, _ words: String) {
    lock.withLock {
      let count = refusal?.secret == secret ? refusal?.count ?? 0 : 0
      refusal = (secret, words, count + 1)
    }
  }

  /// Whether it takes a log-in that these sessions are not beside to see what the refusals mean.
  package var areInDoubt: Bool {
    lock.withLock { refusal.map { $0.count >= Self.mostRefusals } } ?? false
  }

  /// What the server said of another one beside these, where it is not to be asked again.
  package func lastWords(on secret: Secret) -> String? {
    lock.withLock {
      guard let refusal, refusal.secret == secret, refusal.count >= Self.mostRefusals,
        all.contains(where: { $0.session != nil && $0.secret == secret })
      else { return nil }
      return refusal.words
    }
  }

  package func hasOne(by secret: Secret) -> Bool {
    lock.withLock { all.contains { $0.session != nil && $0.secret == secret } }
  }
}
