import MailCore
import Settings

/// The way from an address to a configured account: answers in, steps out. Knows no terminal, no network, no file.
///
/// It always asks for the first thing that is missing, so whatever is given beforehand is never asked for.
package struct SetupWizard: Sendable {
  private let given: SetupGiven
  private let surroundings: SetupSurroundings

  package private(set) var address: EmailAddress?
  package private(set) var servers: SetupServers
  package private(set) var login: SetupLogin
  package private(set) var choices: SetupChoices
  private var storage: SetupStorage
  private var isWritten = false
  private var isPulled = false

  package init(_ given: SetupGiven, in surroundings: SetupSurroundings) {
    self.given = given
    self.surroundings = surroundings
    servers = SetupServers(given)
    login = SetupLogin(given, hasBrowser: surroundings.hasBrowser)
    choices = SetupChoices(given, in: surroundings)
    storage = SetupStorage(given, stores: surroundings.stores)
  }

  // MARK: Events

  package mutating func start() -> SetupStep {
    if let name = given.account {
      do throws(AnswerFault) {
        try choices.enter(account: name)
      } catch {
        switch error {
        case .account(let error): return SetupStep(action: .fail(error.explanation))
        default: return fail(.accountName(name, fault: error.words))
        }
      }
    }
    if let store = given.store, !surroundings.stores.contains(store) {
      return fail(.storeMissing(store))
    }
    guard let text = given.address else { return next() }
    do throws(EmailAddress.Mistake) {
      address = try EmailAddress(text)
      return next()
    } catch {
      var question = Self.addressQuestion
      question.text = [error.words]
      question.failure = SetupProblem.address(text, error).explanation
      return SetupStep(action: .ask(question))
    }
  }

  package mutating func found(_ findings: Findings) -> SetupStep {
    let lines = servers.found(findings, for: address)
    return next(lines)
  }

  /// An answer to the last question, or the lack of one: empty text takes the preset.
  package mutating func answered(_ text: String, to question: Question) -> SetupStep {
    let trimmed =
      question.isSecret
      ? text
      : String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    do throws(AnswerFault) {
      let answer = trimmed.isEmpty ? question.preset ?? "" : trimmed
      if let action = try apply(answer, to: question) { return SetupStep(action: action) }
      return next()
    } catch {
      var again = question
      again.text = [error.words]
      return SetupStep(action: .ask(again))
    }
  }

  /// The password that the given command or file holds.
  package mutating func read(_ result: Result<Secret, SecretFailure>) -> SetupStep {
    switch result {
    case .success(let secret):
      login.secret = secret
      return next()
    case .failure(let failure): return fail(.passwordUnread(failure))
    }
  }

  package mutating func signedIn(_ result: SignInResult) -> SetupStep {
    switch result {
    case .granted(let token):
      login.secret = token
      return next()
    case .failed(let failure):
      return SetupStep(action: login.signInAnew(failure, oauthSettings))
    }
  }

  package mutating func checked(_ result: CheckResult) -> SetupStep {
    if let action = login.checked(result, servers, oauthSettings) {
      return SetupStep(action: action)
    }
    let hosts = [servers.imap, servers.smtp].compactMap(\.?.offer.host)
    return next(["Logged in at \(hosts.joined(separator: " and "))."])
  }

  package mutating func stored(
    _ result: Result<AccountDraft.Credential, SecretFailure>
  ) -> SetupStep {
    switch result {
    case .success(let credential):
      storage.credential = credential
      return next()
    case .failure(let failure): return SetupStep(action: .ask(storage.questionAfter(failure)))
    }
  }

  /// - Parameter keepsLogIn: false where the tokens of a log-in that was made could not be kept.
  package mutating func written(backup: String?, keepsLogIn: Bool = true) -> SetupStep {
    isWritten = true
    if !keepsLogIn { login.secret = nil }
    var says = ["Written: \(surroundings.configuration)"]
    if let backup { says.append("As it was before: \(backup)") }
    if losesCommands { says.append(Self.lostCommands) }
    if login.isAwaited {
      says.append("Next, log in: mirror auth login \(choices.account ?? ""); then mirror pull.")
    }
    return next(says)
  }

  package mutating func pulled() -> SetupStep {
    isPulled = true
    return next()
  }

  private func fail(_ problem: SetupProblem) -> SetupStep {
    SetupStep(action: .fail(problem.explanation))
  }

  // MARK: What is missing

  private mutating func next(_ says: [String] = []) -> SetupStep {
    SetupStep(says: says, action: missing())
  }

  /// The first thing that is missing.
  private mutating func missing() -> SetupStep.Action {
    guard let address else { return .ask(Self.addressQuestion) }
    if choices.asksForReplaced { return .ask(choices.accountQuestion(address)) }
    if let action = servers.next(address) { return action }
    if choices.realName == nil { return .ask(SetupChoices.realNameQuestion) }
    if let action = login.next(servers, oauthSettings, storage.credential) { return action }
    if let action = choices.next(login.result?.folders ?? []) { return action }
    guard let account = choices.account else { return .ask(choices.accountQuestion(address)) }
    guard let root = choices.root else { return .ask(SetupChoices.rootQuestion) }
    guard let credential else {
      guard let secret = login.secret else { return .ask(LoginQuestions.password(servers)) }
      return storage.next(secret, account: account, user: servers.imap?.offer.user ?? "")
    }
    if !isWritten { return .write(draft(account, credential), root: root) }
    if login.isAwaited || isPulled { return .finish }
    guard let pulls = choices.pulls else { return .ask(SetupChoices.pullQuestion) }
    return pulls ? .pull(account: account) : .finish
  }

  private static let addressQuestion = Question(
    .address, prompt: "Your e-mail address", missing: "the address")

  // MARK: Answers

  /// - Returns: what follows at once; nil where that is the first thing that is missing.
  private mutating func apply(_ answer: String, to question: Question) throws(AnswerFault)
    -> SetupStep.Action?
  {
    switch question.topic {
    case .address:
      do throws(EmailAddress.Mistake) {
        address = try EmailAddress(answer)
      } catch {
        throw .address(error)
      }
    case .useFound: try Answers.yes(answer) ? servers.useFound() : retypeServers()
    case .imapHost: try servers.enter(host: answer, of: .imap)
    case .smtpHost: try servers.enter(host: answer, of: .smtp)
    case .imapTLS: try servers.enter(tls: answer, of: .imap)
    case .smtpTLS: try servers.enter(tls: answer, of: .smtp)
    case .user: try servers.enter(user: answer)
    case .smtpUser: servers.enter(smtpUser: answer)
    case .realName: choices.realName = .some(answer.isEmpty ? nil : answer)
    case .logIn: login.usesOAuth = try Answers.choice(answer, of: 2) == 2
    case .clientID: try login.enter(clientID: answer)
    case .clientSecret: login.enter(clientSecret: answer)
    case .signIn: try login.choose(signIn: answer, oauthSettings)
    case .password: login.secret = Secret(try Answers.something(answer))
    case .refusedTwice:
      guard try Answers.choice(answer, of: 2) == 1 else {
        return .ask(ServerQuestions.otherUser(question.failure, preset: servers.imap?.offer.user))
      }
    case .imapTrouble:
      switch try Answers.choice(answer, of: 3) {
      case 1: break  // what was not checked is checked again
      case 2: retypeServers()
      default: return .fail(question.failure)
      }
    case .smtpTrouble:
      let choice = try Answers.choice(answer, of: 3)
      if choice == 1 { servers.retypeOutgoing() } else { login.isChecked = true }
      if choice == 3 { servers.leaveOutgoingOut() }
    case .folders: try choices.choose(folders: answer, of: login.result?.folders ?? [])
    case .window: try choices.enter(window: answer)
    case .account: try choices.enter(account: answer)
    case .root: try choices.enter(root: answer)
    case .storage: try storage.choose(answer)
    case .command: try storage.enter(command: answer)
    case .pull: choices.pulls = try Answers.yes(answer)
    }
    return nil
  }

  private mutating func retypeServers() {
    servers.retype()
    login.forget()
  }

  // MARK: The account

  private var oauthSettings: OAuthSettings? {
    login.settings(servers, before: choices.replaced?.oauth)
  }

  private var credential: AccountDraft.Credential? {
    login.usesOAuth == true ? oauthSettings.map { .oauth($0) } : storage.credential
  }

  /// The person's own commands kept the tokens, and no longer do.
  private var losesCommands: Bool {
    login.usesOAuth == true && choices.replaced?.oauth?.storeCommand != nil
      && oauthSettings?.storeCommand == nil
  }

  private static let lostCommands =
    "store-command and load-command were left out, as they belong to another client id or provider: "
    + "the refresh token goes into a file that only you can read."

  /// The account as it will be written.
  package func draft(_ account: String, _ credential: AccountDraft.Credential) -> AccountDraft {
    var draft = AccountDraft(
      account: account, email: address?.description ?? "",
      imap: servers.imap?.offer ?? ServerOffer(host: "", port: 0, tls: .implicit, user: ""),
      smtp: servers.smtp?.offer)
    draft.caFile = given.caFile
    draft.credential = credential
    draft.auth = login.result?.auth ?? draft.usualAuth
    choices.write(into: &draft)
    return draft
  }
}
