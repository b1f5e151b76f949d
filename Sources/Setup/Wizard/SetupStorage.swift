import MailCore

/// Where the password is kept, and that it is.
struct SetupStorage: Sendable {
  private let stores: [SecretStore]
  /// How the password can be read; nil until it is kept.
  var credential: AccountDraft.Credential?
  private var choice: Choice?

  /// What was chosen, and is still to be done.
  private enum Choice {
    case store(SecretStore)
    /// A command of the person's own, which is asked for next.
    case ownCommand
    case command(String)
  }

  init(_ given: SetupGiven, stores: [SecretStore]) {
    self.stores = stores
    credential = given.credential
    choice = given.store.map { .store($0) }
  }

  /// The next step towards a password that is kept.
  mutating func next(_ secret: Secret, account: String, user: String) -> SetupStep.Action {
    switch choice {
    case nil: return .ask(question)
    case .ownCommand?: return .ask(Self.commandQuestion)
    case .store(let store)?:
      choice = nil
      return .store(store, secret, account: account, user: user)
    case .command(let command)?:
      choice = nil
      return .verify(.shell(command), secret)
    }
  }

  mutating func choose(_ answer: String) throws(AnswerFault) {
    guard let number = Answers.number(answer, upTo: stores.count + 1) else {
      throw .notInList(upTo: stores.count + 1)
    }
    choice = number > stores.count ? .ownCommand : .store(stores[number - 1])
  }

  mutating func enter(command answer: String) throws(AnswerFault) {
    guard !answer.isEmpty else { throw .noCommand }
    choice = .command(answer)
  }

  func questionAfter(_ failure: SecretFailure) -> Question {
    var question = question
    question.text.insert(failure.words, at: 0)
    question.failure = SetupProblem.passwordNotKept(failure).explanation
    return question
  }

  private var question: Question {
    let lines = stores.enumerated().map { "  \($0 + 1)  \($1.title)" }
    return Question(
      .storage,
      text: ["Where shall the password be kept? It never stands in the configuration."] + lines + [
        "  \(stores.count + 1)  a command of your own prints it"
      ], prompt: "Which?", preset: "1", scripted: .some(nil),
      missing: "--password-command, --password-file or --password-store")
  }

  private static let commandQuestion = Question(
    .command, prompt: "The command, as in a shell", missing: "--password-command")
}
