import CLISupport
import Foundation
import IMAPWire
import MailCore
import MailIndex
import Reading
import Settings
import Sync
import SyncPlan
import Transport

/// One search that asks the servers, too: what is here is listed first, then what is not, or all of it once it was fetched.
struct ServerSearching {
  private var task: SearchTask
  private let fetches: Bool
  private let session: MirrorSession
  private let query: ServerQuery
  private let reading: ReadingSession
  private let now = Int64(Date().timeIntervalSince1970)
  /// Of each server, where no limit is given.
  private static let usual = 100

  init(_ task: SearchTask, fetches: Bool) throws {
    self.task = task
    self.fetches = fetches
    let reading = try ReadingSession(task.place, format: task.format)
    self.reading = reading
    query = ServerQuery(node: try reading.node(of: task.query), text: reading.text(of: task.query))
    let environment = ProcessInfo.processInfo.environment
    let configuration = try Configuration.load(
      path: task.place.config ?? Configuration.defaultPath(environment: environment),
      environment: environment, knownQuirks: QuirkSettings.names)
    guard configuration.root == reading.root else {
      throw ServerSearchError.otherTree(configuration.root)
    }
    let interrupt = Interrupt()
    StopSignals.watch { interrupt.trigger() }
    var session = MirrorSession(
      configuration: configuration, report: reading.report, interrupt: interrupt)
    session.isUnattended = isatty(STDIN_FILENO) == 0 && isatty(STDERR_FILENO) == 0
    self.session = session
    // A mistake is told before any server is asked.
    for account in configuration.accounts {
      _ = try query.criteria(in: .init(account: account.name, folder: "INBOX"))
    }
  }

  func run() async throws {
    let accounts = try session.configuration.select([])
    let most = task.range.limit.map { $0 == 0 ? .max : $0 } ?? Self.usual
    var answers = await session.sideBySide(accounts) { account in await ask(account, most) }
    var status = answers.map(\.status).reduce(ExitStatus.done) { $0.combined(with: $1) }
    leaveOutWhatIsNotMeant(&answers)
    var more = answers.reduce(0) { $0 + $1.more }
    var task = task
    if fetches {
      status = status.combined(with: await fetch(answers))
      task.besides = answers.flatMap { $0.found.compactMap(\.hit.messageID) }
    } else {
      let found = answers.flatMap { $0.found.map(\.hit) }.sorted { $0.date > $1.date }
      task.elsewhere = Array(found.prefix(most))
      more += max(0, found.count - most)
    }
    if let number = StopSignals.received { throw ProgramEnd(status: 128 + number) }
    if more > 0 {
      let verb = fetches ? "brings" : "lists"
      session.report.notice(
        session.report.program,
        "the servers found \(more) more: --limit 0 \(verb) all of them.")
    }
    try task.run(status: status)
  }

  // MARK: Asking

  private struct Answer: Sendable {
    var account: SelectedAccount
    var found: [Found] = []
    /// Messages that matched, and were not looked at.
    var more = 0
    var status = ExitStatus.done

    struct Found: Sendable {
      var hit: SearchHit
      var words: HeaderWords
      var mailbox: MailboxName
      var uid: UID
    }

    var uids: [MailboxName: UIDSet] {
      found.reduce(into: [:]) { $0[$1.mailbox, default: UIDSet()].insert($1.uid) }
    }
  }

  private func ask(_ account: SelectedAccount, _ most: Int) async -> Answer {
    let name = account.settings.name
    let (session, query, now) = (session, query, now)
    return await onOwnThread {
      var answer = Answer(account: account)
      let elsewhere = session.run(account.settings, observer: SilentObserver())
        .search(newest: most, now: now) { _, folder in
          try query.criteria(in: .init(account: name, folder: folder))
        }
      answer.more = elsewhere.more
      answer.found = elsewhere.messages.map { message in
        Answer.Found(
          hit: SearchHit(
            onServer: message.header, account: name, folder: message.folder, date: message.date,
            size: message.size, marks: message.marks, now: now),
          words: HeaderWords(message.header), mailbox: message.mailbox, uid: message.uid)
      }
      for problem in elsewhere.problems {
        let place = [name, problem.mailbox].compactMap(\.self).joined(separator: "/")
        session.report.problem(place, problem.problem, remedy: problem.remedy)
        answer.status = answer.status.combined(
          with: ExitStatus(rawValue: problem.exitStatus) ?? .inPart)
      }
      return answer
    }
  }

  /// By dates and by the words of headers. Without an index, which tells what a word is, all stay.
  private func leaveOutWhatIsNotMeant(_ answers: inout [Answer]) {
    let judge = try? reading.openIndex().headerJudge(query.node)
    for place in answers.indices {
      answers[place].found.removeAll { found in
        !query.mayMean(date: found.hit.date) { judge?.has($0, found.words) }
      }
    }
  }

  // MARK: Fetching

  private func fetch(_ answers: [Answer]) async -> ExitStatus {
    let wanted = answers.filter { !$0.uids.isEmpty }
    guard !wanted.isEmpty else { return .done }
    let reporter = RunReporter(report: session.report, isForced: false, recordsRuns: false)
    let uids = Dictionary(
      wanted.map { ($0.account.settings.name, $0.uids) }, uniquingKeysWith: { first, _ in first })
    let session = session
    let statuses = await session.sideBySide(wanted.map(\.account)) { account in
      let messages = uids[account.settings.name] ?? [:]
      let summary = await session.run(account.settings, observer: reporter).pull(
        PullOptions(
          mailboxes: messages.keys.map(\.text), beyond: BeyondWindow(messages: messages)))
      for problem in summary.problems { reporter.tell(problem, account: summary.account) }
      return summary.exitStatus
    }
    reporter.end()
    await session.updateIndex(showsProgress: false)
    return statuses.map { ExitStatus(rawValue: $0) ?? .inPart }
      .reduce(.done) { $0.combined(with: $1) }
  }
}

/// Why servers are not asked.
enum ServerSearchError: Error {
  /// The tree that is searched is not the configuration's.
  case otherTree(String)
}

extension ServerSearchError: Explained {
  var explanation: Explanation {
    switch self {
    case .otherTree(let root):
      Explanation(
        problem: "Servers are known for the tree in “\(root.visible)” only.",
        remedy: "Leave --root out, or name that tree's configuration with --config.",
        exitStatus: .configuration)
    }
  }
}
