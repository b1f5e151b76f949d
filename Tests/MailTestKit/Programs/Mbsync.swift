/// The real mbsync on the same account: writes trees to adopt, and shows that the test bed itself is sound.
package struct Mbsync: Sendable {
  package let directory: TemporaryDirectory
  package let account: AccountSettings

  package static var isInstalled: Bool { findProgram("mbsync") != nil }

  package init(_ account: AccountSettings) throws {
    self.account = account
    directory = try TemporaryDirectory("mbsync")
  }

  /// Pulls everything into `tree`, nested as `mirror` nests.
  @discardableResult
  package func pull(into tree: String) throws -> Outcome {
    try makeDirectory(tree, mode: 0o700)
    let file = directory.path + "/mbsyncrc"
    try writeFile(
      file,
      """
      IMAPAccount a
      Host \(account.host)
      Port \(account.port)
      User \(account.user)
      Pass \(account.password)
      SSLType None
      AuthMechs LOGIN

      IMAPStore far
      Account a

      MaildirStore near
      Path \(tree)/
      Inbox \(tree)/INBOX
      SubFolders Verbatim

      Channel c
      Far :far:
      Near :near:
      Patterns *
      Create Near
      Expunge Near
      Sync Pull
      SyncState *
      CopyArrivalDate yes

      """)
    return try run(
      ["mbsync", "-q", "-c", file, "-a"],
      environment: ["HOME": directory.path, "PATH": "/usr/bin:/bin"])
  }
}
