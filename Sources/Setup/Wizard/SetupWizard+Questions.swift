import MailCore
import Settings

extension SetupWizard {
  var addressQuestion: Question {
    Question(.address, prompt: "Your e-mail address", missing: "the address")
  }

  func useFoundQuestion(_ findings: Findings) -> Question {
    let doubtful = findings.unvouched(for: address?.asciiDomain ?? "")
    guard let first = doubtful.first else {
      return Question(
        .useFound, prompt: "Use these servers?", preset: "y", missing: "--imap-host")
    }
    var question = Question(
      .useFound, prompt: "Use these servers? (y or n)", missing: "--imap-host")
    question.failure = Explanation(
      problem: "Nothing but unprotected DNS says that \(first.host) is right.",
      remedy: "If you know it is, name it: --imap-host \(findings.imap?.offer.host ?? "")"
        + (findings.smtp.map { " --smtp-host \($0.offer.host)" } ?? ""),
      exitStatus: .refused)
    return question
  }

  var imapHostQuestion: Question {
    Question(
      .imapHost, prompt: "Incoming (IMAP) server, as host or host:port", missing: "--imap-host")
  }

  var smtpHostQuestion: Question {
    Question(
      .smtpHost, prompt: "Outgoing (SMTP) server, as host or host:port; none to only receive",
      preset: "none", missing: "--smtp-host")
  }

  func tlsQuestion(_ topic: Question.Topic, _ server: ServerAnswer) -> Question {
    let kinds = server.isLoopback ? "implicit, starttls or none" : "implicit or starttls"
    return Question(
      topic, prompt: "TLS at \(server.host):\(server.port ?? 0): \(kinds)", preset: "implicit",
      scripted: .some(nil), missing: topic == .imapTLS ? "--imap-tls" : "--smtp-tls")
  }

  func userQuestion(_ address: EmailAddress) -> Question {
    Question(.user, prompt: "User name there", preset: address.description, missing: "--user")
  }

  /// Asked when password after password was refused: it may not be the password. Whoever expects to be asked for that
  /// again must not type it where it can be seen, so no name is asked for yet.
  func refusedTwiceQuestion(_ explanation: Explanation) -> Question {
    var question = Question(
      .refusedTwice,
      text: [
        explanation.problem,
        "Some servers want another name than the address, such as the part before its @.",
        "  1  type the password again", "  2  change the user name",
      ], prompt: "Which?", preset: "1", scripted: .some(nil), missing: "--user")
    (question.forgetsTyped, question.failure) = (true, explanation)
    return question
  }

  func otherUserQuestion(_ explanation: Explanation) -> Question {
    var question = Question(
      .user, prompt: "User name there", preset: imap?.user, scripted: .some(nil), missing: "--user")
    question.failure = explanation
    return question
  }

  var smtpUserQuestion: Question {
    Question(
      .smtpUser, prompt: "User name at the outgoing server", preset: imap?.user,
      missing: "--smtp-user")
  }

  var realNameQuestion: Question {
    Question(
      .realName, prompt: "Your name, as others shall see it (may be left empty)", preset: "",
      missing: "--name")
  }

  var logInQuestion: Question {
    let name = findings?.provider?.name ?? ""
    return Question(
      .logIn,
      text: [
        "\(name) takes two ways to log in:", "  1  a password made for this program",
        "  2  OAuth2, by a log-in in the browser; needs a client id of yours",
      ], prompt: "Which?", preset: "1",
      missing: "--password-command, --password-file, --password-store or --oauth")
  }

  var clientIDQuestion: Question {
    let name = findings?.provider?.name ?? "The provider"
    return Question(
      .clientID,
      text: [
        "\(name) wants OAuth2. That needs the client id of a program that is registered there; "
          + "mirror-auth(1) tells how to get one."
      ], prompt: "Client id", missing: "--client-id")
  }

  var clientSecretQuestion: Question {
    Question(
      .clientSecret, prompt: "Its client secret, if there is one", preset: "", isSecret: true,
      missing: "the client secret")
  }

  var passwordQuestion: Question {
    var text: [String] = []
    if isOfferUsed, let hint = findings?.provider?.passwordHint { text.append(hint) }
    return Question(
      .password, text: text, prompt: "Password for \(imap?.user ?? "")", isSecret: true,
      missing: "--password-command, --password-file or --password-store")
  }

  func imapTrouble(_ explanation: Explanation) -> Question {
    var question = Question(
      .imapTrouble,
      text: [
        Self.sentence(explanation), "  1  try again", "  2  type the servers anew",
        "  3  end it here; nothing is written",
      ], prompt: "Which?", preset: "1", scripted: .some(nil), missing: "--imap-host")
    question.failure = explanation
    return question
  }

  func smtpTrouble(_ explanation: Explanation) -> Question {
    var question = Question(
      .smtpTrouble,
      text: [
        "The incoming server is fine, the outgoing one is not.", Self.sentence(explanation),
        "  1  change the outgoing server", "  2  keep it as it is",
        "  3  only receive mail",
      ], prompt: "Which?", scripted: .some(nil), missing: "--smtp-host")
    question.failure = explanation
    return question
  }

  static func sentence(_ explanation: Explanation) -> String {
    explanation.problem + (explanation.remedy.map { " " + $0 } ?? "")
  }

  var foldersQuestion: Question {
    let folders = result?.folders ?? []
    return Question(
      .folders,
      text: ["Folders on the server:"] + FolderList.lines(folders) + [
        (foldersBefore.map { "Enter leaves it at \($0.joined(separator: ", ")); all takes all." }
          ?? "Enter takes all.")
          + " Numbers such as 1-3,7 take only those, -5 leaves number 5 out."
      ], prompt: "Which shall be mirrored?",
      preset: foldersBefore == nil ? "all" : Self.sameFolders, missing: "--folders")
  }

  var windowQuestion: Question {
    Question(
      .window, prompt: "How far back? all, or days as 90d, or a size as 5GB",
      preset: windowBefore ?? "all", missing: "--window")
  }

  var accountQuestion: Question {
    let proposal =
      address.map { AccountNames.proposal(for: $0, taken: surroundings.accounts) } ?? "personal"
    return Question(
      .account, prompt: "A short name for this account", preset: proposal, missing: "--account")
  }

  var rootQuestion: Question {
    Question(
      .root, prompt: "Where shall the mail lie?", preset: "~/Mail", missing: "--root")
  }

  var storageQuestion: Question {
    var lines = ["Where shall the password be kept? It never stands in the configuration."]
    for (index, store) in surroundings.stores.enumerated() {
      lines.append("  \(index + 1)  \(store.title)")
    }
    lines.append("  \(surroundings.stores.count + 1)  a command of your own prints it")
    return Question(
      .storage, text: lines, prompt: "Which?", preset: "1", scripted: .some(nil),
      missing: "--password-command, --password-file or --password-store")
  }

  var commandQuestion: Question {
    Question(
      .command, prompt: "The command, as in a shell", missing: "--password-command")
  }

  var pullQuestion: Question {
    Question(
      .pull, prompt: "Pull the mail now?", preset: "y", scripted: .some("n"), missing: "--pull")
  }
}
