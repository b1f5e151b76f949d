import CLISupport
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
import Watch
import WatchPlan

/// What a watch does for one account: runs on one thread, sends on another, and the line that the server's news come by.
final class AccountWatch: Sendable {
  let settings: AccountSettings
  private let session: MirrorSession
  private let reporter: WatchReporter
  private let index: IndexFollower
  private let status: WatchStatusFile
  let tree: WatchedTree
  private let secrets: WatchedSecrets
  private let arrivals: ArrivalNews
  private let runner = WorkThread()
  private let sender = WorkThread()
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
    /// The last one; another follows when one is opened, and at no other time: the plan would go on to believe that
    /// it stands.
    var line: AccountLine?
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
    let root = session.configuration.root
    tree = WatchedTree(settings, root: root)
    secrets = WatchedSecrets(settings, session)
    arrivals = ArrivalNews(settings, root: root, reporter: reporter)
    shared = Mutex(Shared())
  }

  var name: String { settings.name }

  // MARK: Runs

  private func run(_ interrupt: Interrupt) -> AccountRun {
    AccountRun(
      account: settings, root: session.configuration.root, observer: reporter,
      interrupt: interrupt, credentials: secrets.credentials(),
      wireLog: session.wireLog(settings), keeping: Self.patience)
  }

  /// The last connection waits for the next message, as long as servers and routers between bear it.
  private static let patience = KeptConnections.Patience(all: .seconds(60), last: .seconds(900))

  func run(_ wanted: WatchRun, ended: @escaping @Sendable (RunEnd) -> Void) {
    // Now, not when it begins: a stop that comes between the two is meant for it, too.
    let interrupt = currentInterrupt()
    runner.give { [self] in
      guard tree.isThere else { return ended(RunEnd(push: .treeGone, pull: .treeGone)) }
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
      name, "\(tree.path) is not there any more: nothing is pulled or pushed.",
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
    end.copiesCame = arrivals.mayHoldCopies(summary)
    end.leavesPush = summary.leavesPush
    end.mayLeaveMoves = summary.mayLeaveMoves
    tree.look()
    guard summary.new + summary.changed + summary.gone > 0 else { return }
    status.event("pulled", of: name)
    reporter.entered(.indexing, account: name)
    let run = open.run
    index.follow { [self] in arrivals.tell(summary, of: run) }
  }

  /// What a run beside this one brought. Its files were heard of, so a push comes after it.
  private func tellOthersArrivals(_ run: AccountRun) {
    guard let summary = tree.othersArrivals() else { return }
    index.follow { [self] in arrivals.tell(summary, of: run) }
  }

  private func result(
    _ exitStatus: Int32, isLogInRefused: Bool, isCrowded: Bool = false
  ) -> RunResult {
    let result = RunResult(
      exitStatus, isLogInRefused: isLogInRefused, isCrowded: isCrowded, treeIsThere: tree.isThere)
    if result == .refused { secrets.forget() }
    return result
  }

  // MARK: The queue

  func sendQueue(
    awaitsOutcome: @escaping @Sendable (Bool) -> Void,
    ended: @escaping @Sendable (SendEnd) -> Void
  ) {
    let interrupt = currentInterrupt()
    sender.give { [self] in
      guard tree.isThere else { return ended(SendEnd(.treeGone)) }
      let (end, sentCount) = turn(interrupt).send(awaitsOutcome: awaitsOutcome) { tree.isThere }
      if sentCount > 0 { status.event("sent", of: name) }
      // That server's secret is asked for with each send; what the other one let in goes on.
      if end.result == .refused { secrets.refused(by: .smtp) }
      ended(end)
    }
  }

  func fileCopies(ended: @escaping @Sendable (CopiesEnd) -> Void) {
    let interrupt = Interrupt()
    shared.withLock { $0.filing = interrupt }
    sender.give { [self] in
      guard tree.isThere else { return ended(CopiesEnd(.treeGone, areLeft: true)) }
      let end = turn(interrupt).fileCopies(
        with: secrets.credentials(), waiting: shared.withLock { $0.waiting }, loan
      ) { tree.isThere }
      if end.result == .refused { secrets.forget() }
      ended(end)
    }
  }

  func leaveCopies() { shared.withLock { $0.filing }?.trigger() }

  private func turn(_ interrupt: Interrupt) -> QueueTurn {
    QueueTurn(
      settings: settings, session: session.with(interrupt), reporter: reporter, path: tree.path)
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
    case .refused: secrets.forget()
    // What a command could not say now it may say later.
    case .lost where error is SettingsError: secrets.askAnew()
    case .crowded: beAloneIfInDoubt()
    case .lost, .misconfigured: break
    }
  }

  /// Where it may be the secret that keeps the line out, the next run's log-in shows that: with no other beside it.
  private func beAloneIfInDoubt() {
    guard secrets.areInDoubt else { return }
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
      if secrets.mayHaveChanged(runsCommands: runsCommands) { changed() }
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
