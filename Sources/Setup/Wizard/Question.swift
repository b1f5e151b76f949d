import MailCore

/// One thing that a person is asked.
package struct Question: Sendable, Equatable {
  package enum Topic: String, Sendable {
    case address, useFound, imapHost, imapTLS, user, smtpHost, smtpTLS, smtpUser, realName, logIn,
      clientID, clientSecret, signIn, password, refusedTwice, imapTrouble, smtpTrouble, folders,
      window, account, root, storage, command, pull
  }

  package var topic: Topic
  /// Said before it; each a paragraph, or a line that is not to be wrapped where it begins with blanks.
  package var text: [String]
  package var prompt: String
  /// What an empty answer means.
  package var preset: String?
  /// Not to be shown while it is typed.
  package var isSecret = false
  /// What was typed before it was asked is dropped: it was meant for another question.
  package var forgetsTyped = false
  /// The answer where nobody can be asked; nil ends the set-up with `failure`.
  package var scripted: String?
  /// How the command ends where nobody can be asked and there is no such answer.
  package var failure: Explanation

  /// A question that an option could have answered.
  package init(
    _ topic: Topic, text: [String] = [], prompt: String, preset: String? = nil,
    scripted: String?? = .none, isSecret: Bool = false, missing flag: String
  ) {
    self.init(
      topic, text: text, prompt: prompt, preset: preset,
      failure: SetupProblem.missing(flag).explanation)
    self.scripted = scripted ?? preset
    self.isSecret = isSecret
  }

  /// A question that follows from something that went wrong, and that only a person can answer.
  init(
    _ topic: Topic, text: [String] = [], prompt: String, preset: String? = nil,
    failure: Explanation
  ) {
    self.topic = topic
    self.text = text
    self.prompt = prompt
    self.preset = preset
    self.failure = failure
  }
}
