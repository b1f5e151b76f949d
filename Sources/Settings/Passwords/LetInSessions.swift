import Foundation
import MailCore

/// Sessions that a secret opened, as long as they last.
///
/// A server that refuses another one beside them does not mean the secret: where an account has as many connections as
/// it may have, many only say NO.
package final class LetInSessions: @unchecked Sendable {  // `lock` guards all that changes
  private struct LetIn {
    let secret: Secret
    weak var session: AnyObject?
  }

  private let lock = NSLock()
  private var all: [LetIn] = []

  /// It is forgotten when it has gone.
  package func add(_ session: AnyObject, by secret: Secret) {
    lock.withLock {
      all.removeAll { $0.session == nil }
      all.append(LetIn(secret: secret, session: session))
    }
  }

  package func hasOne(by secret: Secret) -> Bool {
    lock.withLock { all.contains { $0.session != nil && $0.secret == secret } }
  }
}
