import IMAPClient
import IMAPWire
import MailCore
import Remote
import Settings
import Synchronization
import Transport
import Watch
import WatchPlan

/// The line that an account's news come by: one connection that listens, and beside it, where the server tells of one mailbox
/// at a time, one for each other mailbox that is waited at.
final class AccountLine: Sendable {
  typealias Tell = @Sendable (LineNews) -> Void

  private struct State {
    /// Nil while it is closed.
    var tell: Tell?
    /// The first one decides which way it is. Kept from line to line, with what it learned.
    var first: MailboxListener?
    var others: [MailboxListener] = []
  }

  private let factory: ConnectionFactory
  private let mailboxes: [MailboxName]
  /// Hears what ended a line, before that is told.
  private let failed: @Sendable (any Error) -> Void
  private let state = Mutex(State())

  init(
    _ factory: ConnectionFactory, mailboxes: [String],
    failed: @escaping @Sendable (any Error) -> Void
  ) {
    self.factory = factory
    self.mailboxes = mailboxes.map { MailboxName($0, delimiter: nil) }
    self.failed = failed
  }

  func open(tell: @escaping Tell) {
    let first = state.withLock { state in
      state.tell = tell
      let first =
        state.first
        ?? listener(mailboxes.first ?? MailboxName("INBOX", delimiter: nil)) { [weak self] in
          self?.heardFirst($0)
        }
      state.first = first
      return first
    }
    first.start()
  }

  func close() {
    let listeners = state.withLock { state in
      state.tell = nil
      defer { state.others = [] }
      return state.others + [state.first].compactMap { $0 }
    }
    for listener in listeners { listener.stop() }
  }

  func check() {
    let listeners = state.withLock { $0.others + [$0.first].compactMap { $0 } }
    for listener in listeners { listener.check() }
  }

  private func listener(
    _ mailbox: MailboxName, usesNotify: Bool = true,
    heard: @escaping @Sendable (MailboxListener.Event) -> Void
  ) -> MailboxListener {
    MailboxListener(factory, mailbox: mailbox, usesNotify: usesNotify, report: heard)
  }

  private func heardFirst(_ event: MailboxListener.Event) {
    guard let tell = state.withLock({ $0.tell }) else { return }
    switch event {
    case .told(.listening(let way)):
      tell(.listening(way))
      if way == .idle { openOthers() }
    case .told(.hint(let hint)): tell(.news(ServerNews(hint)))
    case .told(.alive), .ended(nil): break  // Nothing to listen to was told before.
    case .ended(let error?): end(error)
    }
  }

  private func openOthers() {
    let others = mailboxes.dropFirst().map { mailbox in
      let hasListened = Mutex(false)
      return listener(mailbox, usesNotify: false) { [weak self] event in
        switch event {
        case .told(.listening(let way)): hasListened.withLock { $0 = way == .idle }
        case .told(.hint(let hint)): self?.state.withLock { $0.tell }?(.news(ServerNews(hint)))
        case .ended(let error?) where hasListened.withLock({ $0 }): self?.end(error)
        // Another mailbox than the server has, or a connection more than it allows: it is looked at with all others.
        case .told(.alive), .ended: break
        }
      }
    }
    state.withLock { $0.others = others }
    for other in others { other.start() }
  }

  /// One dead line is the end of all.
  private func end(_ error: any Error) {
    guard let tell = state.withLock({ $0.tell }) else { return }
    close()
    failed(error)
    tell(.ended(LineEnd(error)))
  }
}

extension ServerNews {
  fileprivate init(_ hint: ServerHint) {
    switch hint {
    case .arrived(let mailbox): self = .arrived(mailbox: mailbox)
    case .changed(let mailbox): self = .changed(mailbox: mailbox)
    case .mailboxes, .renamed: self = .mailboxes
    case .everything: self = .everything
    }
  }
}

extension LineEnd {
  /// What may pass is tried again. That includes certificates: in a hotel somebody else answers for the server.
  init(_ error: any Error) {
    switch error {
    case IMAPError.loginRefused, SettingsError.refusedBefore, SettingsError.noPassword:
      self = .refused
    case IMAPError.throttled: self = .crowded
    case SettingsError.commandFailed: self = .lost
    case let error as SettingsError:
      switch error.explanation.exitStatus {
      case .refused: self = .refused
      case .configuration: self = .misconfigured
      default: self = .lost
      }
    default: self = .lost
    }
  }
}
