import ArgumentParser
import CLISupport
import Foundation
import IMAPWire
import LocalChanges
import MailCore
import MailIndex
import Outbox
import Settings
import Sync

struct SendmailCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sendmail", abstract: "Queue a message, online or not.",
    usage: """
      mirror sendmail [-a ACCOUNT] [-t] [-i] [-f ADDRESS] [-F NAME] [-N WHEN] [--] [RECIPIENT…]
      """,
    discussion: """
      Reads a message from standard input, as sendmail(8) does, and puts it into the queue that \
      `mirror push` sends. Exit status 0 says that it is safely on disk.

        -a ACCOUNT  the account; else it is found by -f and From
        -t          recipients also from To, Cc and Bcc
        -i, -oi     a line of one dot does not end a message that is typed at a terminal
        -f ADDRESS  the envelope's sender
        -F NAME     the sender's name, where the message has no From
        -N WHEN     reports: never, or a list of success, failure, delay

      Other options of sendmail(8) are taken and have no effect; see mirror-sendmail(1).
      """)

  /// sendmail(8) has a grammar of its own.
  @Argument(parsing: .captureForPassthrough, help: .hidden)
  var arguments: [String] = []

  func run() throws {
    let invocation = try SendmailInvocation(arguments)
    if invocation.wantsHelp { throw CleanExit.helpRequest(self) }
    let environment = ProcessInfo.processInfo.environment
    let path = invocation.config ?? Configuration.defaultPath(environment: environment)
    let configuration = try Configuration.load(
      path: path, environment: environment, knownQuirks: QuirkSettings.names)
    let spool = MessageSpool(directory: environment["TMPDIR"] ?? "/tmp")
    // Programs that pipe a message in end it by closing: a line of one dot is their text. Only who types it has no other
    // way that sendmail(8) taught them.
    var reading = MessageReading(
      into: spool, endsAtDot: !invocation.ignoresDots && isatty(STDIN_FILENO) == 1)
    try reading.readAll(from: STDIN_FILENO)
    let acceptance = MessageAcceptance(
      invocation.request, accounts: configuration.accounts, root: configuration.root,
      localNames: Self.localNames, checkTree: Self.checkTree(configuration.root),
      isConfigured: Self.isConfigured(configuration.path))
    let (account, envelope) = try acceptance.accept(spool)
    TreePast(root: configuration.root, account: account.name).remember()
    if invocation.verbosity > 0 {
      Console().printMessage("queued as \(envelope.id) for \(account.name.visible)")
    }
    Self.tellIndex(root: configuration.root, account: account.name)
  }

  /// Queues a message that is there as a whole.
  ///
  /// - Throws: ``AcceptanceError``: then nothing was queued.
  static func queue(
    _ text: [UInt8], _ request: MessageAcceptance.Request, _ configuration: Configuration,
    temporaryDirectory: String
  ) throws -> (account: String, id: String) {
    let spool = MessageSpool(directory: temporaryDirectory)
    var reading = MessageReading(into: spool, endsAtDot: false)
    let failure = text.withUnsafeBytes { bytes -> AcceptanceError? in
      do throws(AcceptanceError) { try reading.take(bytes) } catch { return error }
      return nil
    }
    if let failure { throw failure }
    try reading.finish()
    let acceptance = MessageAcceptance(
      request, accounts: configuration.accounts, root: configuration.root,
      localNames: localNames, checkTree: checkTree(configuration.root),
      isConfigured: isConfigured(configuration.path))
    let (account, envelope) = try acceptance.accept(spool)
    TreePast(root: configuration.root, account: account.name).remember()
    tellIndex(root: configuration.root, account: account.name)
    return (account.name, envelope.id.text)
  }

  static func checkTree(_ root: String) -> (AccountSettings) throws -> Void {
    { account in
      let past = TreePast(root: root, account: account.name)
      try past.checkMount()
      guard !past.isMoved else {
        throw AcceptanceError.treeAbsent(path: "\(root)/\(account.name)", why: nil)
      }
    }
  }

  /// A configuration that cannot be read just now speaks against no account.
  static func isConfigured(_ path: String) -> (AccountSettings) -> Bool {
    { account in
      let now = try? Configuration.load(
        path: path, environment: ProcessInfo.processInfo.environment,
        knownQuirks: QuirkSettings.names, needsAccounts: false)
      return now?.accounts.contains { $0.name == account.name } ?? true
    }
  }

  /// Whoever uses this machine, by the names that cron and other programs write to.
  static var localNames: Set<String> { [NSUserName(), "root", "postmaster"] }

  /// The message is queued, whatever comes of this: so it gets a moment and no more, which is long enough for an update
  /// of the index to end its transaction. Otherwise its row comes with that update, or the next push.
  private static func tellIndex(root: String, account: String) {
    let done = DispatchSemaphore(value: 0)
    let hasStarted = startThread(name: "index", stack: 4) {
      try? SendQueueView.refresh(root: root, account: account)
      done.signal()
    }
    if hasStarted { _ = done.wait(timeout: .now() + .milliseconds(200)) }
  }
}
