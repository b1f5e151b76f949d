import MailCore

extension SetupServers {
  static func useFoundQuestion(_ findings: Findings, domain: String) -> Question {
    guard let doubtful = findings.unvouched(for: domain).first else {
      return Question(
        .useFound, prompt: "Use these servers?", preset: "y", missing: "--imap-host")
    }
    return Question(
      .useFound, prompt: "Use these servers? (y or n)",
      failure: SetupProblem.unvouched(doubtful, among: findings).explanation)
  }

  static let imapHostQuestion = Question(
    .imapHost, prompt: "Incoming (IMAP) server, as host or host:port", missing: "--imap-host")

  static let smtpHostQuestion = Question(
    .smtpHost, prompt: "Outgoing (SMTP) server, as host or host:port; none to only receive",
    preset: "none", missing: "--smtp-host")

  static func tlsQuestion(_ topic: Question.Topic, _ server: ServerAnswer) -> Question {
    let kinds = server.isLoopback ? "implicit, starttls or none" : "implicit or starttls"
    return Question(
      topic, prompt: "TLS at \(server.host):\(server.port ?? 0): \(kinds)", preset: "implicit",
      scripted: .some(nil), missing: topic == .imapTLS ? "--imap-tls" : "--smtp-tls")
  }

  static func userQuestion(preset: String) -> Question {
    Question(.user, prompt: "User name there", preset: preset, missing: "--user")
  }

  static func smtpUserQuestion(preset: String?) -> Question {
    Question(
      .smtpUser, prompt: "User name at the outgoing server", preset: preset,
      missing: "--smtp-user")
  }

  /// Asked when password after password was refused: it may not be the password. Whoever expects to be asked for that
  /// again must not type it where it can be seen, so no name is asked for yet.
  static func refusedTwiceQuestion(_ failure: Explanation) -> Question {
    var question = Question(
      .refusedTwice,
      text: [
        failure.problem,
        "Some servers want another name than the address, such as the part before its @.",
        "  1  type the password again", "  2  change the user name",
      ], prompt: "Which?", preset: "1", failure: failure)
    question.forgetsTyped = true
    return question
  }

  func otherUserQuestion(_ failure: Explanation) -> Question {
    Question(.user, prompt: "User name there", preset: imap?.offer.user, failure: failure)
  }

  static func imapTroubleQuestion(_ failure: Explanation) -> Question {
    Question(
      .imapTrouble,
      text: [
        failure.sentences, "  1  try again", "  2  type the servers anew",
        "  3  end it here; nothing is written",
      ], prompt: "Which?", preset: "1", failure: failure)
  }

  static func smtpTroubleQuestion(_ failure: Explanation) -> Question {
    Question(
      .smtpTrouble,
      text: [
        "The incoming server is fine, the outgoing one is not.", failure.sentences,
        "  1  change the outgoing server", "  2  keep it as it is",
        "  3  only receive mail",
      ], prompt: "Which?", failure: failure)
  }
}
