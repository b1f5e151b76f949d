/// A place where a password can be kept, by a program that is here or in a file.
package enum SecretStore: String, Sendable, CaseIterable {
  case pass
  case secretTool = "secret-tool"
  case keychain
  case gpg
  case systemdCreds = "systemd-creds"
  case file

  /// The program that does it; nil for a plain file.
  package var program: String? {
    switch self {
    case .pass: "pass"
    case .secretTool: "secret-tool"
    case .keychain: "security"
    case .gpg: "gpg"
    case .systemdCreds: "systemd-creds"
    case .file: nil
    }
  }

  package var title: String {
    switch self {
    case .pass: "pass, the password manager of the command line"
    case .secretTool: "the desktop's keyring, by secret-tool"
    case .keychain: "the keychain of macOS, by security"
    case .gpg: "a file that gpg encrypts to your own key"
    case .systemdCreds: "a file that systemd-creds encrypts to this machine"
    case .file: "a file that only you can read, not encrypted"
    }
  }

  /// Those whose program is found, the file last.
  package static func offered(programs: Set<String>) -> [SecretStore] {
    allCases.filter { store in store.program.map(programs.contains) ?? true }
  }

  /// How to keep a password, and how to get it back.
  package struct Plan: Sendable, Equatable {
    /// Is given the password on standard input; nil where mirror itself writes `file`.
    package var storing: [String]?
    /// Stands before and after the password on standard input.
    package var prefix = ""
    package var suffix = ""
    package var credential: AccountDraft.Credential
    /// What will be made; it must not exist.
    package var file: String?
  }

  /// - Parameters:
  ///   - directory: of the configuration.
  ///   - isRoot: systemd-creds then encrypts for the system, else for the user (systemd 256).
  ///   - isFree: whether nothing has this path or entry yet; an old password is never written over.
  package func plan(
    account: String, user: String, directory: String, isRoot: Bool, isFree: (String) -> Bool
  ) -> Plan {
    func free(_ name: String) -> String {
      if isFree(name) { return name }
      return (2...999).lazy.map { "\(name)-\($0)" }.first(where: isFree) ?? name
    }
    switch self {
    case .pass:
      let entry = free("mail/\(user)")
      // Without --force it would ask, or write over the old one where it cannot.
      return Plan(
        storing: ["pass", "insert", "--multiline", entry], suffix: "\n",
        credential: .command(["pass", "show", entry]))
    case .secretTool:
      let attributes = ["service", "mirror", "account", account, "user", user]
      return Plan(
        storing: ["secret-tool", "store", "--label=mirror: \(user)"] + attributes,
        credential: .command(["secret-tool", "lookup"] + attributes))
    case .keychain:
      // Its only way to take a password from elsewhere than the command line: a command on standard input.
      return Plan(
        storing: ["security", "-i"],
        prefix: "add-generic-password -U -s mirror -a \(Self.quoted(user)) -w ", suffix: "\n",
        credential: .command([
          "security", "find-generic-password", "-s", "mirror", "-a", user, "-w",
        ]))
    case .gpg:
      let file = free("\(directory)/passwords/\(account).gpg")
      return Plan(
        storing: [
          "gpg", "--batch", "--quiet", "--encrypt", "--default-recipient-self", "--output", file,
        ], suffix: "\n", credential: .command(["gpg", "--quiet", "--decrypt", file]), file: file)
    case .systemdCreds:
      let file = free("\(directory)/passwords/\(account).cred")
      let scope = isRoot ? [] : ["--user"]
      return Plan(
        storing: ["systemd-creds", "encrypt"] + scope + ["--name=mirror", "-", file], suffix: "\n",
        credential: .command(["systemd-creds", "decrypt"] + scope + ["--name=mirror", file, "-"]),
        file: file)
    case .file:
      let file = free("\(directory)/passwords/\(account)")
      return Plan(storing: nil, suffix: "\n", credential: .file(file), file: file)
    }
  }

  /// For a line that `security -i` reads.
  static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
