import MailCore

/// What is asked about the two servers, and where they give trouble.
enum ServerQuestions {
  static func useFound(_ findings: Findings, domain: String) -> Question {
    guard let doubtful = findings.unvouched(for: domain).first else {
      return Question(
        .useFound, prompt: "Use these servers?", preset: "y", missing: "--imap-host")
    }
    return Question(
      .useFound, prompt: "Use these servers? (y or n)",
      failure: SetupProblem.unvouched(doubtful, among: findings).explanation)
  }

  static func imapHost(_ findings: Findings?) -> Question {
    var question = Question(
      .imapHost, prompt: "Incoming (IMAP) server, as host or host:port", missing: "--imap-host")
    if let obstacle = findings?.obstacle {
      question.failure = SetupProblem.noServers(obstacle).explanation
    }
    return question
  }

  static let smtpHost = Question(
    .smtpHost, prompt: "Outgoing (SMTP) server, as host or host:port; none to only receive",
    preset: "none", missing: "--smtp-host")

  static func tls(_ topic: Question.Topic, _ server: ServerAnswer) -> Question {
    let kinds = server.isLoopback ? "implicit, starttls or none" : "implicit or starttls"
    return Question(
      topic, prompt: "TLS at \(server.host):\(server.port ?? 0): \(kinds)", preset: "implicit",
      scripted: .some(nil), missing: topic == .imapTLS ? "--imap-tls" : "--smtp-tls")
  }

  static func user(preset: String) -> Question {
    Question(.user, prompt: "User name there", preset: preset, missing: "--user")
  }

  static func smtpUser(preset: String?) -> Question {
    Question(
      .smtpUser, prompt: "User name at the outgoing server", preset: preset,
      missing: "--smtp-user")
  }

  /// Asked when password after password was refused: it may not be the password. Whoever expects to be asked for that
  /// again must not type it where it can be seen, so no name is asked for yet.
  static func refusedTwice(_ failure: Explanation) -> Question {
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

  static func otherUser(_ failure: Explanation, preset: String?) -> Question {
    Question(.user, prompt: "User name there", preset: preset, failure: failure)
  }

  static func imapTrouble(_ failure: Explanation) -> Question {
    Question(
      .imapTrouble,
      text: [
        failure.sentences, "  1  try again", "  2  type the servers anew",
        "  3  end it here; nothing is written",
      ], prompt: "Which?", preset: "1", failure: failure)
  }

  static func smtpTrouble(_ failure: Explanation) -> Question {
    Question(
      .smtpTrouble,
      text: [
        "The incoming server is fine, the outgoing one is not.", failure.sentences,
        "  1  change the outgoing server", "  2  keep it as it is",
        "  3  only receive mail",
      ], prompt: "Which?", failure: failure)
  }
}
