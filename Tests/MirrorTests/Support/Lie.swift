import MailTestKit
import Testing

/// An account on a server that lies, and the program that has to live with it.
final class Lie {
  let account: MailAccount
  let server: ModelServer
  let mirror: MirrorProgram

  init(_ dialect: Dialect = .modern, mailboxes: [String] = ["INBOX", "Work"], root: String? = nil)
    throws
  {
    account = MailAccount(mailboxes)
    server = try ModelServer(account, dialect)
    mirror = try MirrorProgram(AccountSettings(port: server.port, user: "u"), root: root)
    account.change("INBOX") { box in
      for number in 0..<12 {
        box.deliver(
          SampleMessage(
            token: "m\(number)", date: 1_600_000_000 + Int64(number),
            flags: number % 3 == 0 ? ["\\Seen"] : []))
      }
    }
    account.change("Work") { box in
      for number in 0..<3 { box.deliver(SampleMessage(token: "w\(number)")) }
    }
  }

  func pull(_ statuses: Int32..., location: SourceLocation = #_sourceLocation) throws -> Outcome {
    server.forget()
    let outcome = try mirror.pull(limit: 120)
    #expect(
      statuses.isEmpty || statuses.contains(outcome.status ?? -1), "\(outcome.summary)",
      sourceLocation: location)
    #expect(outcome.status != nil, "no crash: \(outcome.summary)", sourceLocation: location)
    #expect(server.server.changingCommands == [], sourceLocation: location)
    return outcome
  }

  /// From here on the server tells the truth, and the tree becomes what it holds.
  func expectWhole(
    _ folder: @escaping @Sendable (String) -> String? = { $0 },
    location: SourceLocation = #_sourceLocation
  ) throws {
    server.alter(nil)
    _ = try pull(0, location: location)
    var oracle = MaildirOracle()
    oracle.folder = folder
    let problems = try oracle.differences(mirror.tree(), account.state)
    #expect(problems == [], sourceLocation: location)
    _ = try pull(0, location: location)
    #expect(server.server.bodyFetches == [], sourceLocation: location)
  }

  /// A run that did not do all of its work says where.
  func expectNamed(
    _ mailbox: String, _ outcome: Outcome, location: SourceLocation = #_sourceLocation
  ) {
    #expect(
      outcome.status == 0 || outcome.errorText.contains(mailbox), "\(outcome.summary)",
      sourceLocation: location)
  }

  var files: Set<String> { Set(((try? mirror.tree().messages) ?? []).map(\.base)) }
}

extension ModelCommand {
  /// Two mailboxes are pulled side by side: a run that is cut names the one on whose connection it saw the cut first.
  func asksForMessages(of mailbox: String) -> Bool {
    name == "UID FETCH" && text.contains("[]") && self.mailbox == mailbox
  }
}
