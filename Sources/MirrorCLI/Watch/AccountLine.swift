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
    /// Its mailbox, by place: the first that can be opened.
    var place = 0
    /// Those that could not be opened. Each is reported once.
    var closed: Set<MailboxName> = []
    var others: [MailboxListener] = []
  }

  private let factory: ConnectionFactory
  private let mailboxes: [MailboxName]
  /// Of connections beside the first.
  private let most: Int
  /// Hears what ended a line, before that is told.
  private let failed: @Sendable (any Error) -> Void
  /// Hears of a mailbox that cannot be opened.
  private let isClosed: @Sendable (MailboxName) -> Void
  private let state = Mutex(State())

  /// - Parameter connections: that the account may have; one of them is for work.
  init(
    _ factory: ConnectionFactory, mailboxes: [String], connections: Int,
    failed: @escaping @Sendable (any Error) -> Void,
    isClosed: @escaping @Sendable (MailboxName) -> Void
  ) {
    self.factory = factory
    self.mailboxes = (mailboxes.isEmpty ? ["INBOX"] : mailboxes).map {
      MailboxName($0, delimiter: nil)
    }
    most = max(0, connections - 2)
    (self.failed, self.isClosed) = (failed, isClosed)
  }

  func logsIn(by credentials: Credentials) -> Bool { factory.credentials === credentials }

  func open(tell: @escaping Tell) {
    startFirst { $0.tell = tell }
  }

  private func startFirst(_ prepare: @Sendable (inout State) -> Void) {
    let first = state.withLock { state in
      prepare(&state)
      let place = state.place
      let first =
        state.first ?? listener(mailboxes[place]) { [weak self] in self?.heardFirst($0, at: place) }
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

  private func heardFirst(_ event: MailboxListener.Event, at place: Int) {
    guard let tell = state.withLock({ $0.tell }) else { return }
    switch event {
    case .told(.listening(let way)):
      tell(.listening(way))
      if way == .idle { openOthers() }
    case .told(.hint(let hint)): tell(.news(ServerNews(hint)))
    case .told(.closedMailbox): goOn(after: place, tell)
    case .told(.alive): tell(.alive)
    case .ended(nil): break  // Nothing to listen to was told before.
    case .ended(let error?): end(error)
    }
  }

  /// With the next mailbox. Where none can be opened, all are looked at now and then, and the next line begins anew.
  private func goOn(after place: Int, _ tell: Tell) {
    guard state.withLock({ $0.place == place }) else { return }
    note(mailboxes[place])
    let next = place + 1
    guard next < mailboxes.count else {
      state.withLock { ($0.first, $0.place) = (nil, 0) }
      return tell(.listening(.poll))
    }
    startFirst { ($0.first, $0.place) = (nil, next) }
    // Closed meanwhile.
    if state.withLock({ $0.tell == nil }) { close() }
  }

  private func note(_ closed: MailboxName) {
    if state.withLock({ $0.closed.insert(closed).inserted }) { isClosed(closed) }
  }

  private func openOthers() {
    let place = state.withLock { $0.place }
    let others = mailboxes.dropFirst(place + 1).prefix(most).map { mailbox in
      let hasListened = Mutex(false)
      return listener(mailbox, usesNotify: false) { [weak self] event in
        switch event {
        case .told(.listening(let way)): hasListened.withLock { $0 = way == .idle }
        case .told(.hint(let hint)): self?.state.withLock { $0.tell }?(.news(ServerNews(hint)))
        case .ended(let error?) where hasListened.withLock({ $0 }): self?.end(error)
        // It is looked at with all others, as where it is a connection more than the server allows.
        case .told(.closedMailbox): self?.note(mailbox)
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
    case IMAPError.throttled, IMAPError.loginUnavailable: self = .crowded
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
