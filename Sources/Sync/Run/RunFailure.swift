import IMAPWire
import Ledger
import MailCore
import Maildir
import Settings
import SyncPlan
import Transport

/// How far a failure reaches.
enum RunFailure {
  /// Only this mailbox.
  case mailbox
  /// The connection is gone; a new one may help, after the server's own time limit where it named one.
  case connection(seconds: Int?)
  /// The whole run.
  case run

  /// Errors that do not say how far they reach concern the mailbox that was being worked on.
  init(_ error: any Error) { self = (error as? any ReachingFailure)?.reach ?? .mailbox }

  /// While a lost connection is made anew: a server that is not there now may be back in a moment.
  init(connecting error: any Error) {
    self = (error as? any ReachingFailure)?.reachWhileConnecting ?? .mailbox
  }
}

/// An error that may concern more than one mailbox.
protocol ReachingFailure: Error {
  var reach: RunFailure { get }
  /// The same where a lost connection is made anew.
  var reachWhileConnecting: RunFailure { get }
  /// The server refused the log-in, and does so again.
  var isLogInRefused: Bool { get }
  /// The server accepts no log-in now, maybe because the account has as many connections as it may have.
  var isCrowded: Bool { get }
}

extension ReachingFailure {
  var reachWhileConnecting: RunFailure { reach }
  var isLogInRefused: Bool { false }
  var isCrowded: Bool { false }
}

extension TransportError: ReachingFailure {
  var reach: RunFailure { isLost ? .connection(seconds: nil) : .run }

  var reachWhileConnecting: RunFailure {
    switch self {
    case .cannotResolve, .refused, .unreachable, .handshake: .connection(seconds: nil)
    default: reach
    }
  }
}

extension IMAPError: ReachingFailure {
  var isLogInRefused: Bool { if case .loginRefused = self { true } else { false } }
  var isCrowded: Bool { if case .loginUnavailable = self { true } else { false } }

  var reach: RunFailure {
    switch self {
    case .throttled(let seconds, _): .connection(seconds: seconds)
    case .connectionLost, .bye, .protocolViolation, .sessionOver, .loginUnavailable:
      .connection(seconds: nil)
    case .noSuchMailbox, .refused: .mailbox
    case .loginRefused, .noMechanism, .plaintextRefused, .startTLSUnavailable, .startTLSInjected,
      .preauthenticatedBeforeTLS:
      .run
    }
  }
}

extension SettingsError: ReachingFailure {
  var isLogInRefused: Bool {
    switch self {
    case .refusedBefore: true
    case .noToken(let explanation): explanation.exitStatus == .refused
    default: false
    }
  }

  /// A password or token cannot be had; where only the way to it is cut, it may be had in a moment.
  var reach: RunFailure {
    explanation.exitStatus == .unreachable ? .connection(seconds: nil) : .run
  }
}

extension MaildirError: ReachingFailure {
  var reach: RunFailure { stopsRun ? .run : .mailbox }
}

extension StateError: ReachingFailure {
  var reach: RunFailure { .run }
}

extension SyncError: ReachingFailure {
  var reach: RunFailure {
    switch self {
    case .interrupted, .folderHalfMoved: .run
    default: .mailbox
    }
  }
}
