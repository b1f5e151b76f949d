import CLISupport
import Foundation
import MailCore
import OAuth
import Settings
import Setup
import Transport

/// Ends the set-up with words.
struct InitFailure: Explained {
  let explanation: Explanation
}

/// Does what the wizard asks for, one step after the other.
struct InitRun {
  let report: Report
  let file: ConfigurationFile
  let keeper: SecretKeeper
  let dialogue: Dialogue
  var given: SetupGiven
  var discovery: Discovery
  /// Nobody is asked.
  var isScripted: Bool
  var isDryRun: Bool
  var environment: [String: String]

  private var result: InitReport
  private var written: AccountDraft?
  private var granted: GrantedLogIn?
  /// Why the tokens of a log-in could not be kept.
  private var lostLogIn: Explanation?
  /// The account to pull at the end.
  private var pulls: String?
  /// How the password was kept, which is in vain where the configuration cannot be written.
  var keptSecret: SecretStore.Plan?
  private var scripted: Set<Question.Topic> = []

  init(
    report: Report, file: ConfigurationFile, keeper: SecretKeeper, given: SetupGiven,
    discovery: Discovery, isScripted: Bool, isDryRun: Bool, environment: [String: String]
  ) {
    (self.report, self.file, self.keeper, self.given) = (report, file, keeper, given)
    (self.discovery, self.isScripted) = (discovery, isScripted)
    (self.isDryRun, self.environment) = (isDryRun, environment)
    dialogue = Dialogue(onErrors: !report.format.isText)
    result = InitReport(config: file.path)
  }

  mutating func run() async throws {
    let dialogue = dialogue
    StopSignals.watch {
      dialogue.restore()
      _exit(128 + (StopSignals.received ?? SIGINT))
    }
    var wizard = SetupWizard(
      given,
      in: SetupSurroundings(
        accounts: file.accounts, replaceable: given.replaces ? file.replaceable : [],
        root: file.root, configuration: file.path,
        stores: SecretStore.offered(programs: keeper.programs),
        hasBrowser: BrowserOpening(environment: environment).isPossible))
    var step = wizard.start()
    do {
      while let next = try await perform(step, &wizard) { step = next }
    } catch {
      result.note(wizard)
      try tell()
      throw error
    }
    if let lostLogIn { result.logInNotes.append(lostLogIn.problem) }
    result.note(wizard)
    finish(wizard)
    try tell()
    if var lostLogIn {
      lostLogIn.exitStatus = .inPart
      throw InitFailure(explanation: lostLogIn)
    }
    if let pulls { try pull(pulls) }
  }

  /// Becomes the pull: terminal, signals and exit status are its own.
  private func pull(_ account: String) throws {
    var arguments = ["pull", "--config", file.path, account]
    if report.format.isText {
      say(["", "mirror pull \(account)"])
    } else {
      arguments.append("-q")
    }
    try become(Self.program, arguments)
  }

  private static var program: String { Bundle.main.executablePath ?? "mirror" }

  private func tell() throws {
    try report.document(result)
    try report.record(result)
  }

  private func say(_ paragraphs: [String]) {
    guard !report.isQuiet || !isScripted else { return }
    dialogue.say(paragraphs)
  }

  /// The next step; nil at the end.
  private mutating func perform(_ step: SetupStep, _ wizard: inout SetupWizard) async throws
    -> SetupStep?
  {
    say(step.says)
    switch step.action {
    case .ask(let question): return wizard.answered(try await answer(question), to: question)
    case .discover(let address):
      if !discovery.isOffline { say(["Looking for the mail servers of \(address.domain) …"]) }
      return wizard.found(await discovery.find(address))
    case .readSecret(let credential): return wizard.read(await read(credential))
    case .signIn(let way, let settings, let user):
      return wizard.signedIn(await signIn(way, settings, user, wizard.address))
    case .check(let imap, let smtp, let proof):
      say(["Logging in …"])
      return wizard.checked(await check(imap, smtp, proof))
    case .store(let store, let secret, let account, let user):
      let plan = keeper.plan(store, account: account, user: user)
      try rehearse(wizard.draft(account, plan.credential), wizard.choices.root ?? "")
      return wizard.stored(await keep(secret, store, plan))
    case .verify(let credential, let secret):
      return wizard.stored(await verify(credential, secret))
    case .write(let draft, let root):
      guard let backup = try write(draft, root) else { return nil }
      if !wizard.login.isAwaited { await keepLogIn(of: draft) }
      return wizard.written(
        backup: backup.isEmpty ? nil : backup, keepsLogIn: lostLogIn == nil)
    case .pull(let account):
      pulls = account
      return wizard.pulled()
    case .finish: return nil
    case .fail(let explanation): throw InitFailure(explanation: explanation)
    }
  }

  private mutating func answer(_ question: Question) async throws -> String {
    if isScripted {
      // Asked twice means that its answer was refused.
      guard let text = question.scripted, scripted.insert(question.topic).inserted else {
        throw InitFailure(explanation: question.failure)
      }
      return text
    }
    let dialogue = dialogue
    if question.forgetsTyped { dialogue.forgetTyped() }
    guard let text = await onOwnThread({ dialogue.ask(question) }) else {
      // The account stands already.
      if result.written { return "n" }
      throw InitFailure(
        explanation: Explanation(
          problem: "The set-up was broken off; nothing was written.", exitStatus: .interrupted))
    }
    return text
  }

  private func check(_ imap: ServerOffer, _ smtp: ServerOffer?, _ proof: LogInProof) async
    -> CheckResult
  {
    let report = report
    let wireLog =
      report.verbosity >= 2 ? WireLog(label: "init") { report.detail(2, $0) } : nil
    let check = LoginCheck(proof, caFile: given.caFile, wireLog: wireLog)
    return await onOwnThread {
      var result = check.imap(imap)
      guard result.imap == .fine else { return result }
      result.smtp = smtp.map { check.smtp($0, result.auth) }
      return result
    }
  }

  // MARK: Log-ins by OAuth2

  private mutating func signIn(
    _ way: SignIn, _ settings: OAuthSettings, _ user: String, _ address: EmailAddress?
  ) async -> SignInResult {
    granted = nil
    let dialogue = dialogue
    let logIn = LoginDialogue(
      server: AuthorizationServer(client: OAuthClient(settings)), user: user,
      hint: user.contains("@") ? user : address?.description, say: { dialogue.show([$0]) },
      foreignAnswer: {
        dialogue.say(["An answer that belongs to another log-in was ignored."])
      })
    let result = await onOwnThread {
      Result { () throws(OAuthError) in
        try way == .device ? logIn.enterCode() : logIn.useBrowser()
      }
    }
    // What was typed while nothing was asked answers nothing.
    dialogue.forgetTyped()
    switch result {
    case .success(let grant):
      granted = GrantedLogIn(grant, settings)
      return .granted(grant.accessToken)
    case .failure(let error):
      var explanation = error.explanation
      // Its remedy is an option of `auth login`; here the ways are asked for again.
      if case .browserSilent = error { explanation.remedy = nil }
      return .failed(explanation)
    }
  }

  /// Where the tokens cannot be kept, the account stands all the same.
  private mutating func keepLogIn(of draft: AccountDraft) async {
    guard let granted else { return }
    let environment = environment
    lostLogIn = await onOwnThread { granted.keep(for: draft, environment: environment) }
    guard lostLogIn == nil, !granted.canRenew else { return }
    report.notice(draft.account, AuthState.endsByItself)
    result.logInNotes.append(AuthState.endsByItself)
  }

  // MARK: The configuration

  /// Before a password is kept for it: what then went wrong would leave the password behind.
  private func rehearse(_ draft: AccountDraft, _ root: String) throws {
    guard !isDryRun else { return }
    try file.rehearse(try file.text(with: draft, root: root, replacing: given.replaces))
  }

  /// The backup's path, empty where there was nothing; nil where nothing is to be written.
  private mutating func write(_ draft: AccountDraft, _ root: String) throws -> String? {
    let text = try file.text(with: draft, root: root, replacing: given.replaces)
    (result.root, result.account) = (root, draft.account)
    if isDryRun {
      let tables = AccountTables(draft.withoutSecret).text
      result.would = tables
      report.line("Would write into \(file.path):")
      report.line("")
      for line in tables.split(separator: "\n", omittingEmptySubsequences: false) {
        report.line(String(line))
      }
      return nil
    }
    let written: ConfigurationFile.Written
    do throws(WritingError) {
      written = try file.write(text)
    } catch {
      if let keptSecret { keeper.discard(keptSecret) }
      throw error
    }
    (result.backup, result.written) = (written.backup, true)
    self.written = draft
    return written.backup ?? ""
  }

  private mutating func finish(_ wizard: SetupWizard) {
    guard result.written, let draft = written else { return }
    let readers = ReaderLines.all(
      draft, root: result.root ?? "~/Mail",
      folders: wizard.login.result?.folders ?? [], call: call)
    result.readers = readers.map {
      InitReport.Lines(program: $0.program, file: $0.file, lines: $0.lines)
    }
    guard !isScripted else { return }
    say(["", "Lines for your mail reader, and to let mail come and go by itself:"])
    for reader in readers {
      say(["", "\(reader.program), in \(reader.file):"])
      dialogue.show(reader.lines.map { "  " + $0 })
    }
  }

  private var call: MirrorCall {
    let isUsual =
      file.path == Configuration.defaultPath(environment: environment)
      && environment["MIRROR_CONFIG"] == nil
    let isOnPath = (environment["PATH"] ?? "").split(separator: ":").contains {
      access("\($0)/mirror", X_OK) == 0
    }
    return MirrorCall(
      program: isOnPath ? "mirror" : Self.program, configuration: isUsual ? nil : file.path,
      path: Self.program)
  }
}
