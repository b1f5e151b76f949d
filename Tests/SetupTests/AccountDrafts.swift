import MailCore
import Settings

@testable import Setup

/// An account as the set-up is about to write it.
protocol AccountDrafts {}

extension AccountDrafts {
  func draft(_ name: String = "work") -> AccountDraft {
    var draft = AccountDraft(
      account: name, email: "alice@example.org",
      imap: ServerOffer(
        host: "imap.example.org", port: 993, tls: .implicit, user: "alice@example.org"),
      smtp: ServerOffer(
        host: "smtp.example.org", port: 587, tls: .starttls, user: "alice@example.org"))
    draft.credential = .command(["pass", "show", "mail/alice"])
    return draft
  }
}
