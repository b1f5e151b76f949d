import CLISupport
import Foundation
import LocalChanges
import MailCore
import MailIndex
import Maildir
import Outbox
import Remote
import Settings
import Sync
import SyncPlan
import Synchronization
import Transport
import TreeWatch
import Watch
import WatchPlan

/// What a watch does for one account: runs on one thread, sends on another, and the line that the server's news come by.
final class AccountWatch: Sendable {
  let settings: AccountSettings
  private let session: MirrorSession
  private let reporter: WatchReporter
  private let index: IndexFollower
  private let hook: ArrivalHook
  private let status: WatchStatusFile
  private let runner = WorkThread()
  private let sender = WorkThread()
  private let witness: TreeWitness
  private let shared: Mutex<Shared>
  private let shift = Shift()
  private let loan = ConnectionLoan()

  private struct Shared {
    /// Ends what is under way.
    var interrupt = Interrupt()
    /// Ends the filing of copies that is under way, or was last.
    var filing: Interrupt?
    /// Connections of runs, between these.
    var waiting: KeptConnections?
    /// Once asked for, a secret serves all connections; nil where it is to be asked for anew.
    var credentials: Credentials?
    /// The last one; another follows when one is opened, and at no other time: the plan would go on to believe that
    /// it stands.
    var line: AccountLine?
    var draftsFolder: FolderPath?
    var treeWasThere = false
    var refused = RefusedSecrets<SecretStamp>()
  }

  /// The runner's own.
  private final class Shift: @unchecked Sendable {  // used by the runner alone, in turn
    var open: AccountSession?
    var interrupt: Interrupt?
  }

  init(
    _ settings: AccountSettings, session: MirrorSession, reporter: WatchReporter,
    index: IndexFollower, status: WatchStatusFile
  ) {
    (self.settings, self.session, self.reporter) = (settings, session, reporter)
    (self.index, self.status) = (index, status)
    hook = ArrivalHook(
      account: settings.name, argv: settings.watch.onArrival, reporter: reporter)
    let path = session.configuration.root + "/" + settings.name
    witness = TreeWitness(
      accountPath: path, environment: ProcessInfo.processInfo.environment)
    shared = Mutex(Shared())
    let (isThere, drafts) = (treeExists, findDrafts())
    shared.withLock { ($0.treeWasThere, $0.draftsFolder) = (isThere, drafts) }
  }

  var name: String { settings.name }
  private var path: String { session.configuration.root + "/" + name }

  // MARK: The tree

  /// An account that only sends has no more than this.
  private var hasDirectory: Bool { FileManager.default.fileExists(atPath: path + "/.mirror") }

  /// With its state: what is queued where a tree was moved away makes a directory anew, and no tree.
  private var treeExists: Bool {
    ["state.db", "state.backup.db"].contains {
      FileManager.default.fileExists(atPath: path + "/.mirror/" + $0)
    }
  }

  /// Nil before the first pull has made it.
  var watchedTree: WatchedAccount? {
    guard hasDirectory || shared.withLock({ $0.treeWasThere }) || witness.knowsRuns else {
      return nil
    }
    return WatchedAccount(name: name, path: path, layout: MaildirPolicy(settings.sync).layout)
  }

  /// One that runs have kept is not made anew by a watch: whoever moved it away may bring it back.
  var treeIsThere: Bool {
    guard (try? witness.checkMount(path: path, root: session.configuration.root)) != nil else {
      return false
    }
    if shared.withLock({ $0.treeWasThere }) { return treeExists }
    return hasDirectory || !witness.knowsRuns
  }

  func holdsDrafts(_ folder: FolderPath) -> Bool {
    shared.withLock { $0.draftsFolder } == folder
  }

  private func findDrafts() -> FolderPath? {
    TreeFolders.path(of: SpecialUse.drafts.rawValue, account: path).flatMap(FolderPath.init(text:))
  }

  // MARK: Runs

  private func run(_ interrupt: Interrupt) -> AccountRun {
    AccountRun(
      account: settings, root: session.configuration.root, observer: reporter,
      interrupt: interrupt, credentials: credentials(),
      wireLog: session.wireLog(settings), keeping: Self.patience)
  }

  /// The last connection waits for the next message, as long as servers and routers between bear it.
  private static let patience = KeptConnections.Patience(all: .seconds(60), last: .seconds(900))

  func run(_ wanted: WatchRun, ended: @escaping @Sendable (RunEnd) -> Void) {
    // Now, not when it begins: a stop that comes between the two is meant for it, too.
    let interrupt = currentInterrupt()
    runner.give { [self] in
      guard treeIsThere else { return ended(RunEnd(push: .treeGone, pull: .treeGone)) }
      loan.runBegins()
      defer { loan.runEnded() }
      let open = opened(interrupt)
      var end = RunEnd()
      if let scope = wanted.push { end.push = push(scope, open) }
      if let scope = wanted.pull, end.push?.leavesServer ?? true { pull(scope, open, &end) }
      tellOthersArrivals(open.run)
      open.release()
      IndexMemory.giveBack()
      if end.push != .inPart, end.pull == .done { reporter.wentWell(name) }
      ended(end)
    }
  }

  func tellTreeIsGone() {
    reporter.tell(
      name, "\(path) is not there any more: nothing is pulled or pushed.",
      "Mount it, or move it back; `mirror pull` at a terminal makes it anew.")
  }

  /// The session stays for the next run, with its connections, unless it was interrupted.
  private func opened(_ interrupt: Interrupt) -> AccountSession {
    let run = run(interrupt)
    // With the line's credentials: a refusal beside a connection that they opened is none of the secret.
    if let open = shift.open, shift.interrupt === interrupt,
      open.run.factory.credentials === run.factory.credentials
    {
      return open
    }
    shift.open?.close()
    let open = AccountSession(run)
    (shift.open, shift.interrupt) = (open, interrupt)
    shared.withLock { $0.waiting = open.run.factory.kept }
    return open
  }

  private func currentInterrupt() -> Interrupt {
    shared.withLock { shared in
      if shared.interrupt.isTriggered { shared.interrupt = Interrupt() }
      return shared.interrupt
    }
  }

  private func push(_ scope: PushScope, _ open: AccountSession) -> RunResult {
    // Who only sends, or was never pulled, has nothing to push.
    guard open.run.wasPulled else { return .done }
    var options = PushOptions()
    if scope.leavesDrafts { options.leaving.insert(.drafts) }
    if scope.leavesDeletions { options.leaving.insert(.deletions) }
    options.compared = scope.compared.map { Set($0.compactMap(FolderPath.init(text:))) }
    let advice = SentCopyAdvice(settings, root: session.configuration.root)
    let summary = open.push(options, advice: advice)
    reporter.ended(summary)
    if !summary.actions.isEmpty {
      status.event("pushed", of: name)
      // A push renames and removes files, too.
      index.follow {}
    }
    return result(
      summary.exitStatus, isLogInRefused: summary.isLogInRefused, isCrowded: summary.isCrowded)
  }

  private func pull(_ scope: PullScope, _ open: AccountSession, _ end: inout RunEnd) {
    var options = PullOptions(
      tellsArrivals: reporter.report.format == .jsonl || !settings.watch.onArrival.isEmpty)
    options.isOfWatch = true
    if case .these(let names) = scope { options.hinted = names }
    let summary = open.pull(options)
    reporter.ended(summary)
    end.pull = result(
      summary.exitStatus, isLogInRefused: summary.isLogInRefused, isCrowded: summary.isCrowded)
    end.copiesCame = mayHoldCopies(summary)
    end.leavesPush = summary.leavesPush
    end.mayLeaveMoves = summary.mayLeaveMoves
    let (isThere, drafts) = (treeExists, findDrafts())
    shared.withLock { shared in
      if isThere { shared.treeWasThere = true }
      if drafts != nil { shared.draftsFolder = drafts }
    }
    guard summary.new + summary.changed + summary.gone > 0 else { return }
    status.event("pulled", of: name)
    reporter.entered(.indexing, account: name)
    let run = open.run
    index.follow { [self] in tellArrivals(summary, run) }
  }

  /// Whether messages came that the queue may wait for, in Sent or All Mail; anywhere, where the server names neither.
  private func mayHoldCopies(_ summary: PullSummary) -> Bool {
    guard summary.new > 0 else { return false }
    let names = OwnCopies.mailboxes(account: path)
    return summary.mailboxes.contains {
      $0.new > 0 && (names.isEmpty || names.contains($0.mailbox))
    }
  }

  /// When the files are durable and indexed. The mail is there, whatever keeps it from being told.
  private func tellArrivals(_ summary: PullSummary, _ run: AccountRun) {
    guard summary.mailboxes.contains(where: { !$0.arrived.isEmpty && !$0.isFirst }) else { return }
    var lines: [String] = []
    do {
      let messages = ArrivedMessages(root: session.configuration.root)
      let own = OwnCopies(account: path)
      try messages.forEach(of: run, summary, newsOnly: true) { message in
        guard !own.contain(message) else { return }
        try reporter.report.record(message)
        lines.append(try JSONText.encode(message, pretty: false))
      }
    } catch {
      let words = (error as? any Explained)?.explanation.problem ?? "\(error)"
      reporter.tell(name, "What arrived cannot be told one by one: \(words)", nil, isNotice: true)
    }
    hook.give(lines)
  }

  /// What a run beside this one brought. Its files were heard of, so a push comes after it.
  private func tellOthersArrivals(_ run: AccountRun) {
    let arrivals = witness.takeArrivals()
    guard !arrivals.isEmpty else { return }
    var summary = PullSummary(account: name)
    summary.mailboxes = arrivals.map { mailbox, uids in
      var outcome = MailboxOutcome(mailbox: mailbox)
      outcome.arrived = uids
      return outcome
    }
    index.follow { [self, summary] in tellArrivals(summary, run) }
  }

  private func result(
    _ exitStatus: Int32, isLogInRefused: Bool, isCrowded: Bool = false
  ) -> RunResult {
    let result = RunResult(
      exitStatus, isLogInRefused: isLogInRefused, isCrowded: isCrowded, treeIsThere: treeIsThere)
    if result == .refused { forgetSecret() }
    return result
  }

  /// The mail server refused it: the next connection asks for it anew. A line that stands is the plan's to close.
  private func forgetSecret() {
    rememberRefusal(by: .imap)
    shared.withLock { $0.credentials = nil }
  }

  /// Whoever puts it right does so from now on.
  private func rememberRefusal(by service: RefusedSecrets<SecretStamp>.Service) {
    let stamp = SecretStamp(settings, session)
    shared.withLock { $0.refused.refused(by: service, stamp) }
  }

  private func credentials() -> Credentials {
    shared.withLock { shared in
      let credentials =
        shared.credentials ?? session.credentials(settings, for: settings.imap)
      shared.credentials = credentials
      return credentials
    }
  }

  // MARK: The queue

  func sendQueue(
    awaitsOutcome: @escaping @Sendable (Bool) -> Void,
    ended: @escaping @Sendable (SendEnd) -> Void
  ) {
    let interrupt = currentInterrupt()
    sender.give { [self] in
      guard treeIsThere else { return ended(SendEnd(.treeGone)) }
      let (end, sentCount) = turn(interrupt).send(awaitsOutcome: awaitsOutcome) { treeIsThere }
      if sentCount > 0 { status.event("sent", of: name) }
      // That server's secret is asked for with each send; what the other one let in goes on.
      if end.result == .refused { rememberRefusal(by: .smtp) }
      ended(end)
    }
  }

  func fileCopies(ended: @escaping @Sendable (CopiesEnd) -> Void) {
    let interrupt = Interrupt()
    shared.withLock { $0.filing = interrupt }
    sender.give { [self] in
      guard treeIsThere else { return ended(CopiesEnd(.treeGone, areLeft: true)) }
      let end = turn(interrupt).fileCopies(
        with: credentials(), waiting: shared.withLock { $0.waiting }, loan
      ) { treeIsThere }
      if end.result == .refused { forgetSecret() }
      ended(end)
    }
  }

  func leaveCopies() { shared.withLock { $0.filing }?.trigger() }

  private func turn(_ interrupt: Interrupt) -> QueueTurn {
    QueueTurn(
      settings: settings, session: session.with(interrupt), reporter: reporter, path: path)
  }

  // MARK: Connections

  func openLine(tell: @escaping @Sendable (LineNews) -> Void) {
    let factory = run(Interrupt()).factory
    let (line, before) = shared.withLock { shared in
      let before = shared.line
      // It knows what earlier lines learned, but logs in with the secret that it was made with.
      if let before, before.logsIn(by: factory.credentials) { return (before, nil as AccountLine?) }
      let line = AccountLine(
        factory, mailboxes: settings.watch.mailboxes,
        connections: settings.imap.connections,
        failed: { [weak self] in self?.lineFailed($0) },
        isClosed: { [weak self] in self?.tellClosed($0) })
      shared.line = line
      return (line, before)
    }
    before?.close()
    line.open(tell: tell)
  }

  private func lineFailed(_ error: any Error) {
    let words = (error as? any Explained)?.explanation
    let end = LineEnd(error)
    // Runs go well beside that, which ends nothing.
    reporter.tell(
      name, words?.problem ?? "\(error)", words?.lastingRemedy,
      of: end == .crowded || end == .lost ? .line : .runs)
    switch end {
    case .refused: forgetSecret()
    // What a command could not say now it may say later.
    case .lost where error is SettingsError: shared.withLock { $0.credentials = nil }
    case .crowded: beAloneIfInDoubt()
    case .lost, .misconfigured: break
    }
  }

  /// Where it may be the secret that keeps the line out, the next run's log-in shows that: with no other beside it.
  private func beAloneIfInDoubt() {
    guard shared.withLock({ $0.credentials?.letIn.areInDoubt ?? false }) else { return }
    let interrupt = currentInterrupt()
    runner.give { [self] in
      shift.open?.closeWaitingConnections()
      // Until the server has noticed.
      _ = interrupt.wait(seconds: 2)
    }
  }

  private func tellClosed(_ mailbox: MailboxName) {
    reporter.tell(
      name, mailbox: mailbox.text,
      "The server does not open it, so nothing tells at once of what arrives there.",
      "Look at mailboxes in [accounts.\(name).watch].", isNotice: true)
  }

  func closeLine() { shared.withLock { $0.line }?.close() }

  func checkLine() { shared.withLock { $0.line }?.check() }

  func closeWaitingConnections() {
    runner.give { [self] in shift.open?.closeWaitingConnections() }
  }

  func closeIdleConnections() {
    runner.give { [self] in _ = shift.open?.closeIdleConnections() }
  }

  /// - Parameter changed: not called where nothing changed.
  func lookForSecret(runsCommands: Bool, changed: @escaping @Sendable () -> Void) {
    sender.give { [self] in
      let stamp = SecretStamp(settings, session)
      let isAnother = shared.withLock { $0.refused.haveChanged(to: stamp) }
      guard isAnother || runsCommands && commandsPrintAnother else { return }
      changed()
    }
  }

  private var commandsPrintAnother: Bool {
    [settings.imap, settings.smtp].compactMap { $0 }.contains { server in
      guard case .command = server.secret else { return false }
      return session.credentials(settings, for: server).hasAnother
    }
  }

  // MARK: Ends

  /// Nothing is under way any more.
  func end() {
    runner.give { [self] in
      shift.open?.close()
      shift.open = nil
    }
    runner.end()
    sender.end()
    status.end(name)
  }

  func interrupt() {
    let (interrupt, filing) = shared.withLock { ($0.interrupt, $0.filing) }
    interrupt.trigger()
    filing?.trigger()
  }
}

extension RunResult {
  /// Whether the server is worth asking for more.
  fileprivate var leavesServer: Bool { self == .done || self == .inPart }
}
