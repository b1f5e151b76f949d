import MailCore
import Settings

/// The way from an address to a configured account: answers in, steps out. Knows no terminal, no network, no file.
///
/// It always asks for the first thing that is missing, so whatever is given beforehand is never asked for.
package struct SetupWizard: Sendable {
  let given: SetupGiven
  let surroundings: SetupSurroundings

  package internal(set) var address: EmailAddress?
  package internal(set) var findings: Findings?
  package internal(set) var imap: ServerOffer?
  package internal(set) var smtp: ServerOffer?
  /// The outgoing server is decided, be it none.
  var hasSMTP = false
  /// Where the servers come from, for the report.
  package internal(set) var imapOrigin = Origin.told
  package internal(set) var smtpOrigin = Origin.told

  /// While servers are typed.
  var typedIMAP: ServerAnswer?
  var typedSMTP: ServerAnswer?
  var typedTLS: TLSMode?
  var typedUser: String?
  var typedSMTPUser: String?
  /// The outgoing server may know the person under another name.
  var asksSMTPUser = false
  /// The offers were refused, or there are none.
  var isByHand = false
  /// What the command line said of the servers did not work either.
  var retypes = false
  var isGivenUp = false
  /// The password may be right, and the name wrong.
  var asksOtherUser = false

  var realName: String??
  var usesOAuth: Bool?
  var clientID: String?
  var clientSecret: Secret??
  var signIn: SignIn?
  /// The password, or the access token of a log-in.
  package internal(set) var secret: Secret?
  var refusals = 0
  package internal(set) var result: CheckResult?
  /// The check is over, whatever came of it.
  var isChecked = false
  package internal(set) var folders: [String]??
  var window: String??
  package internal(set) var account: String?
  package internal(set) var root: String?
  package internal(set) var credential: AccountDraft.Credential?
  /// Chosen, and still to be done.
  var pendingStore: SecretStore?
  var asksCommand = false
  var pendingCommand: String?
  var isWritten = false
  var wantsPull: Bool?
  var isPulled = false

  /// Wrong passwords until the end.
  static let refusalLimit = 3

  package init(_ given: SetupGiven, in surroundings: SetupSurroundings) {
    self.given = given
    self.surroundings = surroundings
    credential = given.credential
    if let name = given.realName { realName = .some(name) }
    if let window = given.window { self.window = .some(window == "all" ? nil : window) }
    if let folders = given.folders { self.folders = .some(folders == ["*"] ? nil : folders) }
    root = surroundings.root ?? given.root
    wantsPull = given.pulls
    clientID = given.clientID
    if let secret = given.clientSecret { clientSecret = .some(secret) }
    signIn = given.signIn
    (secret, pendingStore) = (given.password, given.store)
    if case .oauth(let settings) = given.credential {
      usesOAuth = true
      clientID = settings.clientID
      if let secret = settings.clientSecret { clientSecret = .some(secret) }
    } else if given.credential != nil || given.store != nil {
      usesOAuth = false
    }
  }

  // MARK: Events

  package mutating func start() -> SetupStep {
    if let name = given.account {
      if let fault = AccountNames.fault(name) {
        return SetupStep(
          action: .fail(
            Explanation(problem: "“\(name)” cannot be an account. \(fault)", exitStatus: .usage)))
      }
      if let error = obstacle(to: name) { return SetupStep(action: .fail(error.explanation)) }
      account = name
    }
    if let store = given.store, !surroundings.stores.contains(store) {
      let problem = "\(store.program ?? store.rawValue) is not installed."
      let remedy = "Install it, or choose another --password-store."
      return SetupStep(
        action: .fail(Explanation(problem: problem, remedy: remedy, exitStatus: .usage)))
    }
    if let text = given.address { return take(address: text) }
    return next()
  }

  package mutating func found(_ findings: Findings) -> SetupStep {
    self.findings = findings
    return next(describing(findings))
  }

  /// The password that the given command or file holds.
  package mutating func read(_ result: Result<Secret, SecretKeeper.Failure>) -> SetupStep {
    switch result {
    case .success(let secret):
      self.secret = secret
      return next()
    case .failure(let failure):
      return SetupStep(
        action: .fail(Explanation(problem: failure.words, exitStatus: .refused)))
    }
  }

  package mutating func stored(
    _ result: Result<AccountDraft.Credential, SecretKeeper.Failure>
  ) -> SetupStep {
    switch result {
    case .success(let credential):
      self.credential = credential
      return next()
    case .failure(let failure):
      var question = storageQuestion
      question.text.insert(failure.words, at: 0)
      question.failure = Explanation(problem: failure.words, exitStatus: .configuration)
      return ask(question)
    }
  }

  /// - Parameter keepsLogIn: false where the tokens of a log-in that was made could not be kept.
  package mutating func written(backup: String?, keepsLogIn: Bool = true) -> SetupStep {
    isWritten = true
    if !keepsLogIn { secret = nil }
    var says = ["Written: \(surroundings.configuration)"]
    if let backup { says.append("As it was before: \(backup)") }
    if losesCommands { says.append(Self.lostCommands) }
    if awaitsLogIn {
      says.append("Next, log in: mirror auth login \(account ?? ""); then mirror pull.")
    }
    return next(says)
  }

  package mutating func pulled() -> SetupStep {
    isPulled = true
    return next()
  }

  // MARK: What is missing

  func ask(_ question: Question, _ says: [String] = []) -> SetupStep {
    SetupStep(says: says, action: .ask(question))
  }

  /// The first thing that is missing.
  mutating func next(_ says: [String] = []) -> SetupStep {
    guard let address else { return ask(addressQuestion, says) }
    if asksForReplaced { return ask(accountQuestion, says) }
    if imap == nil || !hasSMTP {
      if let step = servers(address, says) { return step }
    }
    guard let imap else { return ask(imapHostQuestion, says) }
    if realName == nil { return ask(realNameQuestion, says) }
    if usesOAuth == nil {
      if asksForLogIn { return ask(logInQuestion, says) }
      let provider = isOfferUsed ? findings?.provider : nil
      // Whoever typed other servers meanwhile has left that provider, and its client id with it.
      if given.clientID != nil, provider?.oauth == nil, !retypes {
        return SetupStep(says: says, action: .fail(clientIDInVain))
      }
      usesOAuth =
        provider?.oauth != nil
        && (given.clientID != nil || provider?.takesPassword == false)
    }
    if usesOAuth == true {
      if clientID == nil { return ask(clientIDQuestion, says) }
      if clientSecret == nil, oauthSettings?.provider != .microsoft {
        return ask(clientSecretQuestion, says)
      }
      if let step = signingIn(imap, says) { return step }
    } else if given.checks || credential == nil {
      if secret == nil {
        if let credential { return SetupStep(says: says, action: .readSecret(credential)) }
        return ask(passwordQuestion, says)
      }
      if given.checks, !isChecked, let secret {
        return SetupStep(says: says, action: .check(imap: imap, smtp: smtp, .password(secret)))
      }
    }
    return choices(says)
  }

  private mutating func choices(_ says: [String]) -> SetupStep {
    if folders == nil {
      if let result, !result.folders.isEmpty { return ask(foldersQuestion, says) }
      folders = .some(foldersBefore)
    }
    if window == nil { return ask(windowQuestion, says) }
    guard let account else { return ask(accountQuestion, says) }
    guard let root else { return ask(rootQuestion, says) }
    guard let credential = finalCredential else { return storing(account, says) }
    if !isWritten {
      return SetupStep(says: says, action: .write(draft(account, credential), root: root))
    }
    if !awaitsLogIn, !isPulled {
      switch wantsPull {
      case nil: return ask(pullQuestion, says)
      case true?: return SetupStep(says: says, action: .pull(account: account))
      case false?: break
      }
    }
    return SetupStep(says: says, action: .finish)
  }

  /// Where the password shall be kept, and that it is.
  private mutating func storing(_ account: String, _ says: [String]) -> SetupStep {
    guard let secret else { return ask(passwordQuestion, says) }
    if let store = pendingStore {
      pendingStore = nil
      let user = imap?.user ?? ""
      return SetupStep(
        says: says, action: .store(store, secret, account: account, user: user))
    }
    if let command = pendingCommand {
      (pendingCommand, asksCommand) = (nil, false)
      return SetupStep(says: says, action: .verify(.shell(command), secret))
    }
    return ask(asksCommand ? commandQuestion : storageQuestion, says)
  }

  private var asksForLogIn: Bool {
    guard let provider = findings?.provider, isOfferUsed else { return false }
    return provider.oauth != nil && provider.takesPassword && given.clientID == nil
  }

  /// The servers are those that were found, so what is known of the provider holds.
  var isOfferUsed: Bool { imap?.host == findings?.imap?.offer.host }

  private var finalCredential: AccountDraft.Credential? {
    usesOAuth == true ? oauthSettings.map { .oauth($0) } : credential
  }

  /// The account as it will be written.
  package func draft(_ account: String, _ credential: AccountDraft.Credential) -> AccountDraft {
    var draft = AccountDraft(
      account: account, email: address?.description ?? "",
      imap: imap ?? ServerOffer(host: "", port: 0, tls: .implicit, user: ""), smtp: smtp)
    draft.realName = realName ?? nil
    draft.caFile = given.caFile
    draft.credential = credential
    draft.auth = result?.auth ?? draft.usualAuth
    draft.folders = folders ?? nil
    draft.window = window ?? nil
    return draft
  }
}
