import MailCore
import Settings

/// How a person signs in to an account that uses OAuth2.
package enum SignIn: String, Sendable, CaseIterable {
  case browser
  /// A code that is entered in a browser on any machine (RFC 8628).
  case device
  /// By `mirror auth login`, once the account stands.
  case later
}

/// What came of a log-in.
package enum SignInResult: Sendable, Equatable {
  /// The access token.
  case granted(Secret)
  case failed(Explanation)
}

/// What logs in to the servers.
package enum LogInProof: Sendable, Equatable {
  case password(Secret)
  case accessToken(Secret)

  package var secret: Secret {
    switch self {
    case .password(let secret), .accessToken(let secret): secret
    }
  }
}

extension SetupWizard {
  /// The program as the provider knows it; nil while that is not known.
  var oauthSettings: OAuthSettings? {
    guard let clientID else { return nil }
    var settings: OAuthSettings
    if case .oauth(let told) = given.credential {
      settings = told
    } else if let provider = findings?.provider?.oauth {
      settings = OAuthSettings(provider: provider, clientID: clientID)
    } else {
      return nil
    }
    (settings.clientID, settings.clientSecret) = (clientID, clientSecret ?? nil)
    if let before = replaced?.oauth { settings.keep(before) }
    return settings
  }

  /// A client id was given, and nothing tells whose.
  var clientIDInVain: Explanation {
    Explanation(
      problem: "--client-id is for OAuth2, and nothing is known of that at \(imap?.host ?? "").",
      remedy: "Name the provider: --oauth google, microsoft, yahoo or custom; or leave it out.",
      exitStatus: .usage)
  }

  /// Nobody has logged in yet, and nothing can be pulled before.
  package var awaitsLogIn: Bool { usesOAuth == true && secret == nil }

  /// A token is for the servers of who granted it alone, and another server may want another way to log in.
  mutating func forgetLogIn() {
    guard usesOAuth == true else { return }
    (secret, signIn) = (nil, given.signIn)
    if case .oauth = given.credential { return }
    (usesOAuth, clientID, clientSecret) = (
      nil, given.clientID, given.clientSecret.map { .some($0) }
    )
  }

  /// The log-in and its check; nil where they are done, or left for later.
  mutating func signingIn(_ imap: ServerOffer, _ says: [String]) -> SetupStep? {
    guard given.checks, !isChecked, signIn != .later, let oauthSettings else { return nil }
    if let secret {
      return SetupStep(says: says, action: .check(imap: imap, smtp: smtp, .accessToken(secret)))
    }
    guard let signIn else { return ask(signInQuestion(oauthSettings), says) }
    let ways = ways(oauthSettings)
    guard ways.contains(signIn) else {
      let problem = "This provider gives no access to mail by --sign-in \(signIn.rawValue)."
      let others = ways.map(\.rawValue).joined(separator: " or ")
      return SetupStep(
        action: .fail(
          Explanation(problem: problem, remedy: "Take \(others).", exitStatus: .usage)))
    }
    return SetupStep(says: says, action: .signIn(signIn, oauthSettings, user: imap.user))
  }

  package mutating func signedIn(_ result: SignInResult) -> SetupStep {
    switch result {
    case .granted(let token):
      secret = token
      return next()
    case .failed(let explanation): return signInAnew(explanation)
    }
  }

  /// Asks again, whatever was given beforehand.
  mutating func signInAnew(_ explanation: Explanation) -> SetupStep {
    (secret, signIn) = (nil, nil)
    guard let oauthSettings else { return SetupStep(action: .fail(explanation)) }
    var question = signInQuestion(oauthSettings)
    question.text.insert(Self.sentence(explanation), at: 0)
    (question.scripted, question.failure) = (nil, explanation)
    return ask(question)
  }

  private func signInQuestion(_ settings: OAuthSettings) -> Question {
    var lines = ["How will you log in?"]
    for (index, way) in ways(settings).enumerated() {
      lines.append("  \(index + 1)  \(words(way))")
    }
    return Question(
      .signIn, text: lines, prompt: "Which?", preset: "1", scripted: SignIn.later.rawValue,
      missing: "--sign-in")
  }

  mutating func take(signIn answer: String) -> String? {
    guard let oauthSettings else { return nil }
    let ways = ways(oauthSettings)
    let named = SignIn(rawValue: answer.lowercased()).flatMap { ways.contains($0) ? $0 : nil }
    let numbered = Answers.number(answer, upTo: ways.count).map { ways[$0 - 1] }
    guard let way = named ?? numbered else { return "Type a number from 1 to \(ways.count)." }
    signIn = way
    return nil
  }

  /// Of the large providers, Microsoft alone gives mail to who enters a code; of others the given addresses tell. The
  /// first is taken for an empty answer, so it is one that works here.
  private func ways(_ settings: OAuthSettings) -> [SignIn] {
    let isKnown = settings.provider != .custom
    var ways: [SignIn] = []
    if isKnown || settings.authorizationURL != nil { ways.append(.browser) }
    if settings.provider == .microsoft || settings.deviceURL != nil {
      ways.insert(.device, at: surroundings.hasBrowser ? ways.endIndex : 0)
    }
    return ways + [.later]
  }

  private func words(_ way: SignIn) -> String {
    switch way {
    case .browser where !surroundings.hasBrowser:
      "with a browser of this machine, which you open yourself"
    case .browser: "with the browser of this machine"
    case .device: "with a code, entered in a browser on any machine"
    case .later: "later, by mirror auth login"
    }
  }
}
