import MailCore
import Settings
import Testing

@testable import MirrorCLI

@Suite struct AccountSelectionTests {
  private let configuration = Configuration(
    path: "config.toml", root: "/mail",
    accounts: ["personal", "work", "list@example.org"].map { name in
      AccountSettings(
        name: name,
        imap: ServerSettings(host: "localhost", port: 993, user: "me", secret: .none))
    })

  @Test(arguments: [
    ("", "personal work list@example.org"),
    ("work", "work"),
    ("work personal", "personal work"),
    ("work work", "work"),
    ("work/INBOX", "work/INBOX"),
    ("work/Archive/2024 work/INBOX", "work/Archive/2024,INBOX"),
    ("work/INBOX work/INBOX", "work/INBOX"),
    ("work/INBOX work", "work"),
    ("work work/INBOX", "work"),
    ("list@example.org/a", "list@example.org/a"),
  ]) func `arguments name accounts and mailboxes`(typed: String, expected: String) throws {
    let arguments = typed.split(separator: " ").map(String.init)
    let selected = try configuration.select(arguments).map { account in
      account.settings.name
        + (account.mailboxes.isEmpty ? "" : "/" + account.mailboxes.joined(separator: ","))
    }
    #expect(selected.joined(separator: " ") == expected)
  }

  @Test(arguments: ["nope", "Personal", "", "/INBOX", "nope/INBOX"])
  func `an unknown account is a usage error that lists the accounts`(argument: String) {
    #expect {
      try configuration.select([argument])
    } throws: { error in
      guard let words = (error as? SelectionError)?.explanation else { return false }
      return words.exitStatus == .usage
        && words.remedy?.contains("personal, work, list@example.org") == true
    }
  }

  @Test func `a slip is recognised`() {
    #expect(
      throws: SelectionError.unknownAccount(
        "persnal", nearest: "personal", known: ["personal", "work", "list@example.org"])
    ) { try configuration.select(["persnal"]) }
  }

  @Test func `a slash without a mailbox is no mailbox`() {
    #expect(throws: SelectionError.emptyMailbox("work/")) { try configuration.select(["work/"]) }
  }
}
