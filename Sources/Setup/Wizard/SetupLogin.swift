import MailCore
import Settings

/// What proves to the servers who somebody is: a password, or a log-in by OAuth2; and whether they take it.
package struct SetupLogin: Sendable {
  private let given: SetupGiven
  private let hasBrowser: Bool

  var usesOAuth: Bool?
  private var clientID: String?
  /// Nil until it is asked for; nil within where there is none.
  private var clientSecret: Secret??
  private var signIn: SignIn?
  /// The password, or the access token of a log-in.
  var secret: Secret?
  private var refusals = 0
  package private(set) var result: CheckResult?
  /// The check is over, whatever came of it.
  var isChecked = false

  /// Wrong passwords until the end.
  private static let refusalLimit = 3

  init(_ given: SetupGiven, hasBrowser: Bool) {
    self.given = given
    self.hasBrowser = hasBrowser
    clientID = given.clientID
    if let secret = given.clientSecret { clientSecret = .some(secret) }
    signIn = given.signIn
    secret = given.password
    if case .oauth(let settings) = given.credential {
      usesOAuth = true
      clientID = settings.clientID
      if let secret = settings.clientSecret { clientSecret = .some(secret) }
    } else if given.credential != nil || given.store != nil {
      usesOAuth = false
    }
  }

  /// Nobody has logged in yet, and nothing can be pulled before.
  package var isAwaited: Bool { usesOAuth == true && secret == nil }

  /// The program as the provider knows it; nil while that is not known.
  ///
  /// - Parameter before: of the account that is replaced.
  func settings(_ servers: SetupServers, before: OAuthSettings?) -> OAuthSettings? {
    guard let clientID else { return nil }
    var settings: OAuthSettings
    if case .oauth(let told) = given.credential {
      settings = told
    } else if let provider = servers.findings?.provider?.oauth {
      settings = OAuthSettings(provider: provider, clientID: clientID)
    } else {
      return nil
    }
    (settings.clientID, settings.clientSecret) = (clientID, clientSecret ?? nil)
    if let before { settings.keep(before) }
    return settings
  }

  // MARK: What is missing

  /// The next step towards a log-in that is checked; nil once it is, or is left for later.
  ///
  /// - Parameters:
  ///   - settings: of OAuth2.
  ///   - credential: where the password can be read.
  mutating func next(
    _ servers: SetupServers, _ settings: OAuthSettings?, _ credential: AccountDraft.Credential?
  ) -> SetupStep.Action? {
    if usesOAuth == nil {
      let provider = servers.provider
      if let provider, provider.oauth != nil, provider.takesPassword, given.clientID == nil {
        return .ask(LoginQuestions.logIn(provider))
      }
      // Whoever typed other servers meanwhile has left that provider, and its client id with it.
      if given.clientID != nil, provider?.oauth == nil, !servers.isRetyped {
        let host = servers.imap?.offer.host ?? ""
        return .fail(SetupProblem.clientIDInVain(host: host).explanation)
      }
      usesOAuth =
        provider?.oauth != nil
        && (given.clientID != nil || provider?.takesPassword == false)
    }
    if usesOAuth == true { return nextOfOAuth(servers, settings) }
    guard given.checks || credential == nil else { return nil }
    guard let secret else {
      return credential.map { .readSecret($0) } ?? .ask(LoginQuestions.password(servers))
    }
    return check(servers, .password(secret))
  }

  private func nextOfOAuth(_ servers: SetupServers, _ settings: OAuthSettings?)
    -> SetupStep.Action?
  {
    if clientID == nil { return .ask(LoginQuestions.clientID(servers)) }
    if clientSecret == nil, settings?.provider != .microsoft {
      return .ask(LoginQuestions.clientSecret)
    }
    guard given.checks, !isChecked, signIn != .later, let settings else { return nil }
    if let secret { return check(servers, .accessToken(secret)) }
    let ways = SignIn.ways(settings, hasBrowser: hasBrowser)
    guard let signIn else { return .ask(LoginQuestions.signIn(ways, hasBrowser: hasBrowser)) }
    guard ways.contains(signIn) else {
      return .fail(SetupProblem.noSuchSignIn(signIn, ways: ways).explanation)
    }
    return .signIn(signIn, settings, user: servers.imap?.offer.user ?? "")
  }

  private func check(_ servers: SetupServers, _ proof: LogInProof) -> SetupStep.Action? {
    guard given.checks, !isChecked, let imap = servers.imap else { return nil }
    return .check(imap: imap.offer, smtp: servers.smtp?.offer, proof)
  }

  // MARK: Answers

  mutating func enter(clientID answer: String) throws(AnswerFault) {
    clientID = try Answers.something(answer)
  }

  mutating func enter(clientSecret answer: String) {
    clientSecret = .some(answer.isEmpty ? nil : Secret(answer))
  }

  mutating func choose(signIn answer: String, _ settings: OAuthSettings?) throws(AnswerFault) {
    guard let settings else { return }
    let ways = SignIn.ways(settings, hasBrowser: hasBrowser)
    let named = SignIn(rawValue: answer.lowercased()).flatMap { ways.contains($0) ? $0 : nil }
    let numbered = Answers.number(answer, upTo: ways.count).map { ways[$0 - 1] }
    guard let way = named ?? numbered else { throw .notInList(upTo: ways.count) }
    signIn = way
  }

  // MARK: Events

  /// Asks again, whatever was given beforehand.
  mutating func signInAnew(_ failure: Explanation, _ settings: OAuthSettings?) -> SetupStep.Action {
    (secret, signIn) = (nil, nil)
    guard let settings else { return .fail(failure) }
    var question = LoginQuestions.signIn(
      SignIn.ways(settings, hasBrowser: hasBrowser), hasBrowser: hasBrowser)
    question.text.insert(failure.sentences, at: 0)
    (question.scripted, question.failure) = (nil, failure)
    return .ask(question)
  }

  /// - Returns: what follows from a log-in that failed; nil where both servers took it.
  mutating func checked(
    _ result: CheckResult, _ servers: SetupServers, _ settings: OAuthSettings?
  ) -> SetupStep.Action? {
    self.result = result
    switch result.imap {
    case .fine: break
    case .refused(let words): return refused(words, servers, settings)
    case .failed(let failure): return .ask(ServerQuestions.imapTrouble(failure))
    }
    switch result.smtp {
    case .refused(let words):
      let problem = SetupProblem.outgoingRefused(
        host: servers.smtp?.offer.host ?? "", words: words)
      return .ask(ServerQuestions.smtpTrouble(problem.explanation))
    case .failed(let failure): return .ask(ServerQuestions.smtpTrouble(failure))
    case .fine, nil:
      isChecked = true
      return nil
    }
  }

  private mutating func refused(
    _ words: String, _ servers: SetupServers, _ settings: OAuthSettings?
  ) -> SetupStep.Action {
    refusals += 1
    let isOver = refusals >= Self.refusalLimit
    let server = servers.imap?.offer
    if usesOAuth == true {
      let failure = SetupProblem.tokenRefused(server, words: words).explanation
      return isOver ? .fail(failure) : signInAnew(failure, settings)
    }
    // By the server: the one that was found may not be the one that was typed.
    let provider =
      server.flatMap { KnownProviders.provider(imapHost: $0.host, address: $0.user) }
      ?? servers.findings?.provider
    let hint = provider?.refusalHint(user: server?.user ?? "")
    let failure = SetupProblem.passwordRefused(server, words: words, hint: hint).explanation
    guard !isOver, given.credential == nil else { return .fail(failure) }
    secret = nil
    if refusals == Self.refusalLimit - 1 { return .ask(ServerQuestions.refusedTwice(failure)) }
    var question = LoginQuestions.password(servers)
    (question.text, question.failure) = ([failure.problem], failure)
    return .ask(question)
  }

  /// A token is for the servers of who granted it alone, and another server may want another way to log in.
  mutating func forget() {
    guard usesOAuth == true else { return }
    (secret, signIn) = (nil, given.signIn)
    if case .oauth = given.credential { return }
    (usesOAuth, clientID, clientSecret) = (
      nil, given.clientID, given.clientSecret.map { .some($0) }
    )
  }
}
