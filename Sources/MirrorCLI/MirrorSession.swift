import CLISupport
import Foundation
import IMAPWire
import LocalChanges
import MailCore
import MailIndex
import Reading
import Settings
import Sync
import SyncPlan
import Transport

/// What every command begins with: the configuration, a way to report, and a way to be stopped.
struct MirrorSession: Sendable {
  let configuration: Configuration
  let report: Report
  let interrupt: Interrupt
  /// No person is there who would see a log-in refused: what a server refused is not tried again.
  var isUnattended = isatty(STDIN_FILENO) == 0 && isatty(STDERR_FILENO) == 0

  /// - Parameter tellsRemovals: on standard error; else the command does it in its own way.
  /// - Throws: `SettingsError` where the configuration cannot be used (78).
  init(_ options: CommonOptions, tellsRemovals: Bool = true) throws {
    let environment = ProcessInfo.processInfo.environment
    report = Report(
      program: "mirror", options: options, console: Console(), environment: environment)
    do {
      configuration = try Self.configuration(options)
    } catch {
      // The account that is half removed may have been the only one.
      if let rest = try? Self.configuration(options, needsAccounts: false) {
        report.tellInterruptedRemovals(rest)
      }
      throw error
    }
    if tellsRemovals { report.tellInterruptedRemovals(configuration) }
    let interrupt = Interrupt()
    self.interrupt = interrupt
    StopSignals.watch { interrupt.trigger() }
  }

  /// For who stays: reads the configuration now and again, and hears signals by itself.
  init(configuration: Configuration, report: Report, interrupt: Interrupt) {
    (self.configuration, self.report, self.interrupt) = (configuration, report, interrupt)
    isUnattended = true
  }

  /// The same, ended by another interrupt.
  func with(_ interrupt: Interrupt) -> MirrorSession {
    MirrorSession(configuration: configuration, report: report, interrupt: interrupt)
  }

  static func configuration(_ options: CommonOptions, needsAccounts: Bool = true) throws
    -> Configuration
  {
    let environment = ProcessInfo.processInfo.environment
    return try Configuration.load(
      path: options.config ?? Configuration.defaultPath(environment: environment),
      environment: environment, knownQuirks: QuirkSettings.names, needsAccounts: needsAccounts)
  }

  func run(_ account: AccountSettings, observer: any RunObserver) -> AccountRun {
    AccountRun(
      account: account, root: configuration.root, observer: observer, interrupt: interrupt,
      credentials: credentials(account, for: account.imap), wireLog: wireLog(account))
  }

  /// `-vv` shows the wire.
  func wireLog(_ account: AccountSettings) -> WireLog? {
    guard report.verbosity >= 2 else { return nil }
    let report = report
    return WireLog(label: account.name) { report.detail(2, $0) }
  }

  /// Runs `work` for all accounts side by side; the results come back in the accounts' order.
  func sideBySide<Result: Sendable>(
    _ accounts: [SelectedAccount],
    _ work: @escaping @Sendable (SelectedAccount) async -> Result
  ) async -> [Result] {
    await withTaskGroup(of: (Int, Result).self) { group in
      for (index, account) in accounts.enumerated() {
        group.addTask { (index, await work(account)) }
      }
      var results: [(Int, Result)] = []
      for await result in group { results.append(result) }
      return results.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  /// After a pull: the mail is there, whatever comes of this.
  ///
  /// - Parameter pullTook: seconds, where its summary is to tell of an index that took longer.
  func updateIndex(showsProgress: Bool, pullTook: Double? = nil) async {
    await onOwnThread {
      do throws(IndexError) {
        try bringIndexUpToDate(showsProgress: showsProgress, pullTook: pullTook)
      } catch {
        IndexAfterPull.tell(error, report)
      }
      BouncesAfterPull(root: configuration.root, report: report).run(configuration.accounts)
    }
  }

  /// Blocks.
  ///
  /// - Parameter erases: nothing of what the index had before may stay readable in its file.
  /// - Throws: why the index is as it was.
  func bringIndexUpToDate(showsProgress: Bool, pullTook: Double? = nil, erases: Bool = false)
    throws(IndexError)
  {
    let root = configuration.root
    var roles = ToldRoles()
    for account in configuration.accounts {
      let uses = TreeFolders.uses(account: root + "/" + account.name)
      let paths = uses.map { ($0.text(in: account.name), $1) }
      roles.tell(account.name, Dictionary(paths, uniquingKeysWith: { $1 }))
    }
    try IndexAfterPull.update(
      root: root, ownAddresses: configuration.accounts.compactMap(\.email),
      authorities: configuration.authorities, roles: roles, report: report,
      showsProgress: showsProgress, pullTook: pullTook, erases: erases)
  }

  /// For commands that change the tree: the first index may take its time, and is left to a pull.
  func updateIndexIfThere() async {
    guard FileManager.default.fileExists(atPath: configuration.root + "/.mirror/index.db") else {
      return
    }
    await updateIndex(showsProgress: false)
  }

  /// Ends the command with the worst of these statuses, or with the signal that stopped it.
  func end(with statuses: [Int32]) throws {
    if let number = StopSignals.received { throw ProgramEnd(status: 128 + number) }
    if report.console.hasFailed {
      if StandardStream.output.readerIsGone { throw ProgramEnd(.inPart) }
      throw OutputFailure()
    }
    let status = statuses.map { ExitStatus(rawValue: $0) ?? .inPart }
      .reduce(ExitStatus.done) { $0.combined(with: $1) }
    if status != .done { throw ProgramEnd(status) }
  }
}

/// The results could not be printed: whoever reads them must not take them for whole.
struct OutputFailure: Explained {
  var explanation: Explanation {
    Explanation(
      problem: "The results could not be written to standard output.",
      remedy: "Check the disk, or the program that reads them.", exitStatus: .inPart)
  }
}
