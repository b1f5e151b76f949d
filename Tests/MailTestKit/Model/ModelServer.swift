import Foundation

/// What a connection sends next.
package enum Reply: Sendable, Equatable {
  /// CRLF is added.
  case line([UInt8])
  case raw([UInt8])
  case pause(Double)
  case hangUp
  case reset

  package static func line(_ text: String) -> Reply { .line(Array(text.utf8)) }
  package var text: String {
    switch self {
    case .line(let bytes), .raw(let bytes): String(decoding: bytes, as: UTF8.self)
    case .pause, .hangUp, .reset: ""
    }
  }
}

/// A command that a ``ModelServer`` received.
package struct ModelCommand: Sendable {
  package var tag: String
  /// In capitals; `UID FETCH` is one name.
  package var name: String
  package var arguments: [IMAPValue]
  /// As it came, without the tag.
  package var text: String
  /// The selected mailbox, if any.
  package var mailbox: String?
  /// Connections count from 0.
  package var connection: Int
}

/// An IMAP server over a ``MailAccount``, in a ``Dialect``, with a hook that may alter whatever it says.
package final class ModelServer: Sendable {
  /// Gets a command and the honest replies, the tagged one last, and returns what is sent instead.
  package typealias Hook = @Sendable (ModelCommand, [Reply]) -> [Reply]

  package let account: MailAccount
  package let server: ScriptedServer
  private let hook: Locked<Hook?>
  package var port: UInt16 { server.port }

  package init(_ account: MailAccount, _ dialect: Dialect = .modern, alter: Hook? = nil) throws {
    self.account = account
    let hook = Locked(alter)
    self.hook = hook
    server = try ScriptedServer { session in
      ModelSession(session, account, dialect) { hook.value }.run()
    }
  }

  /// From the next command on.
  package func alter(_ hook: Hook?) { self.hook.value = hook }

  package var received: [String] { server.received }
  package func forget() { server.forget() }
  package func stop() { server.stop() }
}

/// A value that several threads share.
package final class Locked<Value: Sendable>: @unchecked Sendable {  // `stored` behind `lock`
  private let lock = NSLock()
  private var stored: Value

  package init(_ value: Value) { stored = value }

  package var value: Value {
    get { lock.withLock { stored } }
    set { lock.withLock { stored = newValue } }
  }

  package func change<R>(_ body: (inout Value) -> R) -> R { lock.withLock { body(&stored) } }
}
