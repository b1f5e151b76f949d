import Foundation
import LocalChanges
import Remote
import Settings
import State
import SyncPlan
import Transport

/// Work on one account, as the commands ask for it. Accounts are independent: runs go side by side.
package struct AccountRun: Sendable {
  let account: AccountSettings
  let root: String
  let observer: any RunObserver
  let interrupt: Interrupt
  /// Makes the account's connections: also for those who wait on one for what the server tells.
  package let factory: ConnectionFactory
  let environment: [String: String]
  /// Is shown each state that a session opens.
  let opened: @Sendable (StateStore) -> Void

  /// Runs that follow one another keep their connections, and make the state's backup less often than after each.
  var backUpInterval: Duration { factory.kept == nil ? .zero : .seconds(600) }

  /// Where runs follow one another, the next one comes by itself: nobody else waits for the account until a server is
  /// back. It is asked again at once all the same, since it may trip over one message or one mailbox.
  var schedule: RetrySchedule {
    RetrySchedule(delays: factory.kept == nil ? RetrySchedule.delays(environment) : [0, 0, 0])
  }

  /// The account's directory.
  var path: String { root + "/" + account.name }
  /// What this machine remembers of the tree, and who watches it.
  package var witness: TreeWitness { TreeWitness(accountPath: path, environment: environment) }

  /// - Parameters:
  ///   - root: the tree's root, absolute.
  ///   - observer: hears of progress.
  ///   - interrupt: ends the run within a second, everything consistent.
  ///   - credentials: what logs in to the IMAP server, where the settings alone do not say it.
  ///   - wireLog: takes what goes over the wire, secrets redacted.
  ///   - keeping: runs follow one another, and connections wait for so long for the next; nil: each run makes its own.
  ///   - makeStream: in place of the network.
  ///   - opened: is shown each state that a session opens.
  package init(
    account: AccountSettings, root: String, observer: any RunObserver, interrupt: Interrupt,
    credentials: Credentials? = nil, wireLog: WireLog? = nil,
    keeping: KeptConnections.Patience? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    makeStream: (@Sendable () throws -> any ByteStream)? = nil,
    opened: @escaping @Sendable (StateStore) -> Void = { _ in }
  ) {
    self.account = account
    self.root = root
    self.observer = observer
    self.interrupt = interrupt
    self.environment = environment
    self.opened = opened
    factory = ConnectionFactory(
      server: account.imap, credentials: credentials ?? Credentials(for: account.imap),
      interrupt: interrupt, wireLog: wireLog, kept: keeping.map { KeptConnections($0) },
      entered: { observer.entered($0, account: account.name) }, makeStream: makeStream)
  }

  /// Whether there is anything to push from: a state, or folders that lost theirs; or there was, and it vanished, which
  /// a push has to say.
  package var wasPulled: Bool {
    if FileManager.default.fileExists(atPath: path + "/.mirror/state.db") { return true }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.contains { $0 != ".mirror" } || witness.knowsRuns
  }
}
