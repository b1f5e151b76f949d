/// What is asked about the log-in.
enum LoginQuestions {
  static func logIn(_ provider: KnownProvider) -> Question {
    Question(
      .logIn,
      text: [
        "\(provider.name) takes two ways to log in:", "  1  a password made for this program",
        "  2  OAuth2, by a log-in in the browser; needs a client id of yours",
      ], prompt: "Which?", preset: "1",
      missing: "--password-command, --password-file, --password-store or --oauth")
  }

  static func clientID(_ servers: SetupServers) -> Question {
    let name = servers.findings?.provider?.name ?? "The provider"
    return Question(
      .clientID,
      text: [
        "\(name) wants OAuth2. That needs the client id of a program that is registered there; "
          + "mirror-auth(1) tells how to get one."
      ], prompt: "Client id", missing: "--client-id")
  }

  static let clientSecret = Question(
    .clientSecret, prompt: "Its client secret, if there is one", preset: "", isSecret: true,
    missing: "the client secret")

  static func signIn(_ ways: [SignIn], hasBrowser: Bool) -> Question {
    let lines = ways.enumerated().map { "  \($0 + 1)  \($1.words(hasBrowser: hasBrowser))" }
    return Question(
      .signIn, text: ["How will you log in?"] + lines, prompt: "Which?", preset: "1",
      scripted: SignIn.later.rawValue, missing: "--sign-in")
  }

  static func password(_ servers: SetupServers) -> Question {
    let hint = servers.provider?.passwordHint
    return Question(
      .password, text: hint.map { [$0] } ?? [],
      prompt: "Password for \(servers.imap?.offer.user ?? "")", isSecret: true,
      missing: "--password-command, --password-file or --password-store")
  }
}
