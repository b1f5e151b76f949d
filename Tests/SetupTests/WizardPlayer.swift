import MailCore
import Settings
import Testing

@testable import Setup

/// Drives the machine as the command does, with answers by topic.
struct WizardPlayer {
  var wizard: SetupWizard
  var step: SetupStep
  var asked: [Question.Topic] = []
  var said: [String] = []

  init(
    _ given: SetupGiven = SetupGiven(), accounts: [String] = [],
    replaceable: [AccountSettings] = [], root: String? = nil, hasBrowser: Bool = true
  ) {
    wizard = SetupWizard(
      given,
      in: SetupSurroundings(
        accounts: accounts + replaceable.map(\.name), replaceable: replaceable, root: root,
        configuration: "/c.toml", stores: [.pass, .file], hasBrowser: hasBrowser))
    step = wizard.start()
    note()
  }

  private mutating func note() {
    said += step.says
    if case .ask(let question) = step.action {
      asked.append(question.topic)
      said += question.text
    }
  }

  var topic: Question.Topic? {
    if case .ask(let question) = step.action { question.topic } else { nil }
  }

  mutating func answer(_ text: String, _ expected: Question.Topic, line: Int = #line) {
    guard case .ask(let question) = step.action else {
      Issue.record("asks nothing (line \(line)): \(step.action)")
      return
    }
    #expect(question.topic == expected, "line \(line)")
    step = wizard.answered(text, to: question)
    note()
  }

  mutating func go(_ next: SetupStep) {
    step = next
    note()
  }

  mutating func found(_ findings: Findings) { go(wizard.found(findings)) }
  mutating func checked(_ result: CheckResult) { go(wizard.checked(result)) }
}

/// What most of the wizard's suites begin with.
protocol WizardScenes {}

extension WizardScenes {
  var folders: [FolderInfo] {
    [
      FolderInfo(name: "INBOX", messages: 1204), FolderInfo(name: "Sent", role: .sent, messages: 7),
      FolderInfo(name: "Junk", role: .junk, messages: 0), FolderInfo(name: "!odd"),
    ]
  }

  func findings(_ origin: Origin = .autoconfig, host: String = "imap.example.org")
    -> Findings
  {
    Findings([
      MailService(
        origin: origin,
        imap: ServerOffer(host: host, port: 993, tls: .implicit, user: "alice@example.org"),
        smtp: ServerOffer(
          host: "smtp.example.org", port: 465, tls: .implicit, user: "alice@example.org"))
    ])
  }
}
