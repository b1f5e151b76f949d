import ArgumentParser
import CLISupport
import MailCore
import Settings
import Sorting
import Sync
import SyncPlan
import Transport

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Find what is wrong, and tell what to do.",
    discussion: """
      Looks at the configuration, the tree, the disk and the index; and for each account at its \
      servers (name, connection, TLS, log-in, capabilities, mailboxes), its state and its queue. \
      Changes nothing and sends nothing. The exit status is that of the worst finding.
      """)

  @OptionGroup var common: CommonOptions

  @Argument(help: ArgumentHelp("An account; default: all.", valueName: "account"))
  var accounts: [String] = []

  func run() async throws {
    let session: MirrorSession
    do {
      var made = try MirrorSession(common, tellsRemovals: false)
      // An examination is what a person asks for.
      made.isUnattended = false
      session = made
    } catch let error as SettingsError {
      throw try Self.tell(error, common)
    }
    let report = session.report
    var findings = MachineExamination(configuration: session.configuration).findings()
    for finding in findings { try Self.tell(finding, report) }
    let selected = try session.configuration.select(accounts)
    let results = await session.sideBySide(selected) { await Self.examine($0.settings, session) }
    for finding in results.flatMap(\.self) { try Self.tell(finding, report) }
    findings += results.flatMap(\.self)
    try report.document(findings)
    try session.end(with: findings.map(\.exitStatus))
  }

  private static func examine(_ account: AccountSettings, _ session: MirrorSession) async
    -> [Finding]
  {
    let directory = session.configuration.root + "/" + account.name
    let servers = await onOwnThread { Self.servers(account, session) }
    let status = await session.run(account, observer: SilentObserver()).status()
    let root = session.configuration.root
    let setAside = await onOwnThread { FilesAside.look(account: account.name, root: root).notes }
    let local =
      TreeExamination(directory: directory, status: status).findings()
      + setAside.map { .notice("set-aside", $0.problem, $0.remedy) }
      + QueueExamination(account: account, status: QueueStatus(account: directory)).findings()
    return (servers + local).map { finding in
      var finding = finding
      finding.account = account.name
      return finding
    }
  }

  /// Blocks.
  private static func servers(_ account: AccountSettings, _ session: MirrorSession) -> [Finding] {
    let wireLog = session.wireLog(account)
    let imap = ServerExamination(
      account: account, credentials: session.credentials(account, for: account.imap),
      interrupt: session.interrupt, wireLog: wireLog
    ).findings()
    let refused = Self.refused(account, at: account.imap, session)
    guard let smtp = account.smtp, !session.interrupt.isTriggered else { return imap + refused }
    return imap + refused
      + SubmissionExamination(
        server: smtp, credentials: session.credentials(account, for: smtp),
        interrupt: session.interrupt, wireLog: wireLog
      ).findings() + Self.refused(account, at: smtp, session)
  }

  /// What a refusal means for those who would try again by themselves.
  private static func refused(
    _ account: AccountSettings, at server: ServerSettings, _ session: MirrorSession
  ) -> [Finding] {
    guard let words = session.refusedLogIn(account, at: server)?.explanation else { return [] }
    return [
      .notice(
        server == account.imap ? "log-in" : "smtp-log-in", words.problem, words.remedy)
    ]
  }

  private static func tell(_ finding: Finding, _ report: Report) throws {
    // With -q only what is wrong, and on standard error, as everywhere.
    if report.isQuiet {
      guard finding.state == .wrong else { return }
      report.problem(finding.account ?? finding.check, finding.words, remedy: finding.remedy)
    } else {
      report.show(finding)
    }
    try report.record(finding)
  }

  /// The configuration is a finding, too; nothing else can be looked at without it.
  private static func tell(_ error: SettingsError, _ common: CommonOptions) throws -> any Error {
    guard !common.format.isText else { return error }
    let report = Report(program: "mirror", options: common, console: Console(), environment: [:])
    let finding = Finding.wrong("configuration", error)
    try report.record(finding)
    try report.document([finding])
    return ProgramEnd(status: finding.exitStatus)
  }
}
