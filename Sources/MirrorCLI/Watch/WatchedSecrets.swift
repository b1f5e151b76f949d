import Remote
import Settings
import Synchronization
import Transport

/// The secrets of an account that is watched: asked for once, kept as long as servers take them.
final class WatchedSecrets: Sendable {
  private let settings: AccountSettings
  private let session: MirrorSession
  private let kept = Mutex(Kept())

  private struct Kept {
    /// For all connections; nil where they are to be asked for anew.
    var credentials: Credentials?
    var refused = RefusedSecrets<SecretStamp>()
  }

  init(_ settings: AccountSettings, _ session: MirrorSession) {
    (self.settings, self.session) = (settings, session)
  }

  /// Of the mail server.
  func credentials() -> Credentials {
    kept.withLock { kept in
      let credentials = kept.credentials ?? session.credentials(settings, for: settings.imap)
      kept.credentials = credentials
      return credentials
    }
  }

  /// Whether a log-in may have failed for another reason than its secret.
  var areInDoubt: Bool { kept.withLock { $0.credentials?.letIn.areInDoubt ?? false } }

  /// The next connection asks for it anew.
  func askAnew() { kept.withLock { $0.credentials = nil } }

  /// The mail server refused it. A line that is open is the plan's to close.
  func forget() {
    refused(by: .imap)
    askAnew()
  }

  /// Who puts it right does so from now on.
  func refused(by service: RefusedSecrets<SecretStamp>.Service) {
    let stamp = SecretStamp(settings, session)
    kept.withLock { $0.refused.refused(by: service, stamp) }
  }

  /// Whether one that was refused may be another by now.
  func mayHaveChanged(runsCommands: Bool) -> Bool {
    let stamp = SecretStamp(settings, session)
    let isAnother = kept.withLock { $0.refused.haveChanged(to: stamp) }
    return isAnother || runsCommands && commandsPrintAnother
  }

  private var commandsPrintAnother: Bool {
    [settings.imap, settings.smtp].compactMap { $0 }.contains { server in
      guard case .command = server.secret else { return false }
      return session.credentials(settings, for: server).hasAnother
    }
  }
}
