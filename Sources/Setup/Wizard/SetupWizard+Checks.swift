import MailCore

extension SetupWizard {
  package mutating func checked(_ result: CheckResult) -> SetupStep {
    self.result = result
    switch result.imap {
    case .fine: break
    case .refused(let words): return refused(words)
    case .failed(let explanation): return ask(imapTrouble(explanation))
    }
    switch result.smtp {
    case .refused(let words):
      return ask(
        smtpTrouble(
          Explanation(
            problem: "\(smtp?.host ?? "") refused the log-in: “\(words)”.", exitStatus: .refused)))
    case .failed(let explanation): return ask(smtpTrouble(explanation))
    case .fine, nil:
      isChecked = true
      return next([checkedWords])
    }
  }

  private var checkedWords: String {
    let servers =
      smtp == nil ? "\(imap?.host ?? "")" : "\(imap?.host ?? "") and \(smtp?.host ?? "")"
    return "Logged in at \(servers)."
  }

  private mutating func refused(_ words: String) -> SetupStep {
    refusals += 1
    let said = words.isEmpty ? "" : ": “\(words)”"
    let problem = "\(imap?.host ?? "The server") refused the log-in of \(imap?.user ?? "")\(said)."
    let remedy =
      usesOAuth == true
      ? "Check the user's name (--user), and that the provider allows IMAP and SMTP for it."
      : findings?.provider?.passwordHint ?? "Check the user's name (--user) and the password."
    let explanation = Explanation(problem: problem, remedy: remedy, exitStatus: .refused)
    guard refusals < Self.refusalLimit, given.credential == nil || usesOAuth == true else {
      return SetupStep(action: .fail(explanation))
    }
    if usesOAuth == true { return signInAnew(explanation) }
    secret = nil
    if refusals == Self.refusalLimit - 1 { return ask(refusedTwiceQuestion(explanation)) }
    var question = passwordQuestion
    question.text = [problem]
    question.failure = explanation
    return ask(question)
  }
}
