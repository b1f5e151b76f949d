import MailTestKit
import Sync
import SyncPlan
import Testing

/// Connections that are lost for good at a command, and what a run tells of it.
extension Stage {
  /// The server is gone when it is through with such a command, and comes back for the next run.
  func killPush(
    at name: String, _ options: PushOptions = PushOptions(),
    location: SourceLocation = #_sourceLocation
  ) {
    let isDead = Locked(false)
    alter.value = { command, replies in
      if command.name == name { isDead.value = true }
      return isDead.value ? [.hangUp] : replies
    }
    let summary = push(nil, options)
    #expect(
      isDead.value && summary.exitStatus != 0, "\(summary.problems)", sourceLocation: location)
    alter.value = nil
  }

  /// Its flags in the first mailbox that has it.
  func flags(_ token: String) -> Set<String> {
    account.mailboxes.flatMap(\.messages).first {
      contains($0.bytes, Array("<\(token)@".utf8))
    }?.flags ?? []
  }

  /// A message without a Message-ID, called `fresh`: where a server changes what it takes, nothing tells it.
  func deliverNameless(to folder: String, name: String = "17.1_fresh.host") throws {
    try reader.deliver(
      Array("From: a@example.org\nSubject: fresh\n\nno name <fresh@example.org>\n".utf8),
      name: name, to: folder)
  }
}

extension PushSummary {
  /// All problems and what to do about them.
  var told: String { words(of: problems) }
}

extension PullSummary {
  /// All problems and what to do about them.
  var told: String { words(of: problems) }
}

private func words(of problems: [RunProblem]) -> String {
  problems.map { "\($0.problem) \($0.remedy ?? "")" }.joined(separator: "\n")
}
