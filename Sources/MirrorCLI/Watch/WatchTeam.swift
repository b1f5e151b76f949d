import CLISupport
import Foundation
import LocalChanges
import MailCore
import Maildir
import Settings
import Synchronization
import Transport
import TreeWatch
import Watch
import WatchPlan

/// The accounts that are watched, by name, and what they share: the configuration, the index, what is told.
final class WatchTeam: WatchCrew {
  private struct State {
    var configuration: Configuration
    /// Made when something is first asked of them.
    var watches: [String: AccountWatch] = [:]
    var isReady = false
  }

  private let options: CommonOptions
  /// Accounts that were named; empty: all.
  private let names: [String]
  private let report: Report
  private let reporter: WatchReporter
  private let status = WatchStatusFile()
  private let index: IndexFollower
  private let state: Mutex<State>
  private let notice: ServiceNotice?

  init(
    _ options: CommonOptions, names: [String], configuration: Configuration, report: Report,
    notice: ServiceNotice?
  ) {
    (self.options, self.names, self.report, self.notice) = (options, names, report, notice)
    reporter = WatchReporter(report: report, status: status)
    index = IndexFollower(configuration: configuration, report: report)
    state = Mutex(State(configuration: configuration))
  }

  /// - Throws: where an account cannot be watched: it is unknown, or another process watches it.
  func begin() throws -> [WatchPlanner.NewAccount] {
    let configuration = state.withLock { $0.configuration }
    let accounts = try configuration.selectWhole(names).map(\.settings)
    for account in accounts { try claim(account, of: configuration) }
    return accounts.map(Self.planned)
  }

  private func claim(_ account: AccountSettings, of configuration: Configuration) throws {
    let path = configuration.root + "/" + account.name
    try status.begin(
      account.name,
      TreeWitness(accountPath: path, environment: ProcessInfo.processInfo.environment))
  }

  private static func planned(_ account: AccountSettings) -> WatchPlanner.NewAccount {
    WatchPlanner.NewAccount(
      name: account.name, timing: WatchTiming(poll: account.watch.poll))
  }

  private func watch(_ name: String) -> AccountWatch? {
    state.withLock { state in
      if let watch = state.watches[name] { return watch }
      guard let settings = state.configuration.account(named: name) else { return nil }
      let session = MirrorSession(
        configuration: state.configuration, report: report, interrupt: Interrupt())
      let watch = AccountWatch(
        settings, session: session, reporter: reporter, index: index, status: status)
      state.watches[name] = watch
      return watch
    }
  }

  // MARK: Connections and runs

  func openLine(_ account: String, tell: @escaping @Sendable (LineNews) -> Void) {
    watch(account)?.openLine(tell: tell)
  }

  func closeLine(_ account: String) { watch(account)?.closeLine() }
  func checkLine(_ account: String) { watch(account)?.checkLine() }
  func distrustConnections(_ account: String) { watch(account)?.closeWaitingConnections() }
  func closeIdleConnections(_ account: String) { watch(account)?.closeIdleConnections() }

  func run(_ run: WatchRun, _ account: String, ended: @escaping @Sendable (RunEnd) -> Void) {
    watch(account)?.run(run, ended: ended)
  }

  func sendQueue(
    _ account: String, awaitsOutcome: @escaping @Sendable (Bool) -> Void,
    ended: @escaping @Sendable (SendEnd) -> Void
  ) {
    watch(account)?.sendQueue(awaitsOutcome: awaitsOutcome, ended: ended)
  }

  func fileCopies(_ account: String, ended: @escaping @Sendable (CopiesEnd) -> Void) {
    watch(account)?.fileCopies(ended: ended)
  }

  func leaveCopies(_ account: String) { watch(account)?.leaveCopies() }

  func interrupt(_ account: String) { watch(account)?.interrupt() }

  func lookForSecret(
    _ account: String, runsCommands: Bool, changed: @escaping @Sendable () -> Void
  ) {
    // What it says by now may be the right secret: it is read again as on a signal.
    if isConfiguredAnew(account) {
      kill(getpid(), SIGHUP)
    } else {
      watch(account)?.lookForSecret(runsCommands: runsCommands, changed: changed)
    }
  }

  private func isConfiguredAnew(_ account: String) -> Bool {
    guard let configuration = try? MirrorSession.configuration(options),
      let now = try? configuration.selectWhole(names).map(\.settings).first(where: {
        $0.name == account
      })
    else { return false }
    return watch(account).map { $0.settings != now } ?? false
  }

  // MARK: Trees

  func tree(_ account: String) -> WatchedAccount? { watch(account)?.tree.watched }
  func treeIsThere(_ account: String) -> Bool { watch(account)?.tree.isThere == true }

  func holdsDrafts(_ folder: FolderPath, of account: String) -> Bool {
    watch(account)?.tree.holdsDrafts(folder) == true
  }

  func treeChanged(_ account: String) { index.treeChanged() }

  func tell(_ hindrance: NoWatching, of account: String) {
    let words = hindrance.explanation
    reporter.tell(account, words.problem, words.lastingRemedy, isNotice: true)
  }

  // MARK: What is told

  func report(_ standing: AccountStanding, of account: String, now: Moment) {
    if standing == .treeGone { watch(account)?.tellTreeIsGone() }
    reporter.stands(standing, account, now: now)
    notice?.status(reporter.overview)
  }

  func ready() { report.detail(1, "mirror: all accounts were looked at") }

  // MARK: Another configuration

  func reload() -> Reload? {
    let (before, running) = state.withLock { ($0.configuration, $0.watches.mapValues(\.settings)) }
    let configuration: Configuration
    let accounts: [AccountSettings]
    do {
      configuration = try MirrorSession.configuration(options)
      accounts = try configuration.selectWhole(names).map(\.settings)
    } catch {
      let words = (error as? any Explained)?.explanation
      report.problem(
        "mirror", words?.problem ?? "\(error)", remedy: "The watch goes on with the old one.")
      return nil
    }
    let isSameTree = configuration.root == before.root
    let unchanged = accounts.filter { isSameTree && running[$0.name] == $0 }
    let others = accounts.filter { account in !unchanged.contains { $0.name == account.name } }
    var begin: [AccountSettings] = []
    for account in others {
      do {
        // Its own claim ends when its old watch has ended.
        if running[account.name] == nil { try claim(account, of: configuration) }
        begin.append(account)
      } catch {
        if let error = error as? any Explained { report.problem(error) }
      }
    }
    state.withLock { $0.configuration = configuration }
    index.use(configuration)
    return Reload(
      unchanged: unchanged.map(Self.planned), begin: begin.map(Self.planned))
  }

  func hasEnded(_ account: String) {
    let (watch, configuration) = state.withLock { state in
      (state.watches.removeValue(forKey: account), state.configuration)
    }
    watch?.end()
    // One that begins anew with other settings.
    if let settings = configuration.account(named: account) {
      try? claim(settings, of: configuration)
    }
  }
}
