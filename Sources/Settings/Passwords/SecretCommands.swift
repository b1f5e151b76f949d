import MailCore

/// Keeps a secret through the person's own programs, such as pass or secret-tool.
package struct SecretCommands: Sendable {
  private let load: PasswordCommand
  private let store: PasswordCommand

  /// - Parameters:
  ///   - load: prints the secret on its first line.
  ///   - store: takes it on its standard input.
  package init(load: [String], store: [String], timeLimit: Duration = .seconds(30)) {
    self.load = PasswordCommand(argv: load, timeLimit: timeLimit)
    self.store = PasswordCommand(argv: store, timeLimit: timeLimit)
  }

  /// **Blocks**: only from a thread of your own.
  package func secret() throws(SettingsError) -> Secret { try load.secret() }

  /// **Blocks**: only from a thread of your own.
  package func keep(_ secret: Secret) throws(SettingsError) { try store.keep(secret) }
}
