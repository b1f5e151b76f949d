import Foundation
import LocalChanges
import MailCore
import Remote
import Settings
import SyncPlan
import Transport

/// Work on one account, as the commands ask for it. Accounts are independent: runs go side by side.
package struct AccountRun: Sendable {
  let account: AccountSettings
  let root: String
  let observer: any RunObserver
  let interrupt: Interrupt
  let factory: ConnectionFactory
  let environment: [String: String]

  /// - Parameters:
  ///   - root: the tree's root, absolute.
  ///   - observer: hears of progress.
  ///   - interrupt: ends the run within a second, everything consistent.
  ///   - credentials: what logs in to the IMAP server, where the settings alone do not say it.
  ///   - wireLog: takes what goes over the wire, secrets redacted.
  package init(
    account: AccountSettings, root: String, observer: any RunObserver, interrupt: Interrupt,
    credentials: Credentials? = nil, wireLog: WireLog? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.account = account
    self.root = root
    self.observer = observer
    self.interrupt = interrupt
    self.environment = environment
    factory = ConnectionFactory(
      server: account.imap, credentials: credentials ?? Credentials(for: account.imap),
      interrupt: interrupt, wireLog: wireLog)
  }

  /// Brings the server's changes into the tree.
  package func pull(_ options: PullOptions) async -> PullSummary {
    let pull = AccountPull(
      account: account, root: root, options: options, observer: observer, interrupt: interrupt,
      factory: factory, environment: environment)
    return await onOwnThread { pull.run() }
  }

  /// Carries the tree's changes to the server.
  ///
  /// - Parameter advice: what the send queue knows of copies in Sent.
  package func push(_ options: PushOptions, advice: SentCopyAdvice = .none) async -> PushSummary {
    let push = AccountPush(
      account: account, root: root, options: options, observer: observer, interrupt: interrupt,
      factory: factory, environment: environment, advice: advice)
    return await onOwnThread { push.run() }
  }

  /// Whether there is anything to push from: a state, or folders that lost theirs; or there was, and it vanished, which
  /// a push has to say.
  package var wasPulled: Bool {
    let path = root + "/" + account.name
    if FileManager.default.fileExists(atPath: path + "/.mirror/state.db") { return true }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.contains { $0 != ".mirror" }
      || TreeWitness(accountPath: path, environment: environment).knowsRuns
  }
}
