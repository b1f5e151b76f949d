import MailCore
import Settings

/// What the wizard wants next: first something to say, then something to do.
package struct SetupStep: Sendable, Equatable {
  /// Paragraphs; a line that begins with blanks is not to be wrapped.
  package var says: [String] = []
  package var action: Action

  package enum Action: Sendable, Equatable {
    /// Then ``SetupWizard/answered(_:to:)``.
    case ask(Question)
    /// Then ``SetupWizard/found(_:)``.
    case discover(EmailAddress)
    /// Then ``SetupWizard/read(_:)``.
    case readSecret(AccountDraft.Credential)
    /// Then ``SetupWizard/signedIn(_:)``.
    case signIn(SignIn, OAuthSettings, user: String)
    /// Then ``SetupWizard/checked(_:)``.
    case check(imap: ServerOffer, smtp: ServerOffer?, LogInProof)
    /// Then ``SetupWizard/stored(_:)``.
    case store(SecretStore, Secret, account: String, user: String)
    /// Reads the password by it and compares; then ``SetupWizard/stored(_:)``.
    case verify(AccountDraft.Credential, Secret)
    /// Then ``SetupWizard/written(backup:keepsLogIn:)``.
    case write(AccountDraft, root: String)
    /// Then ``SetupWizard/pulled()``.
    case pull(account: String)
    case finish
    case fail(Explanation)
  }
}
