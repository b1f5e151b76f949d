/// What to write into other programs' configurations so that they use the account.
package struct ReaderLines: Sendable, Equatable {
  package var program: String
  /// The file that the lines belong into.
  package var file: String
  package var lines: [String]

  /// - Parameters:
  ///   - folder: the account's directory, as a person writes it: `~/Mail/personal`.
  ///   - folders: the server's, where they are known: their roles tell the names.
  ///   - command: how mirror is called, with its `--config` if it needs one.
  ///   - program: mirror's absolute path.
  package static func all(
    _ draft: AccountDraft, root: String, folders: [FolderInfo], command: String, program: String
  ) -> [ReaderLines] {
    let folder = (root.hasSuffix("/") ? String(root.dropLast()) : root) + "/" + draft.account
    func name(_ role: String, _ usual: String) -> String {
      folders.first { $0.role?.rawValue == role }?.path ?? usual
    }
    let (drafts, sent) = (name("drafts", "Drafts"), name("sent", "Sent"))
    let (trash, archive) = (name("trash", "Trash"), name("archive", "Archive"))
    return [
      neomutt(draft, folder, command, drafts: drafts, trash: trash),
      aerc(draft, folder, command),
      mu4e(draft, root, command, drafts: drafts, sent: sent, trash: trash, archive: archive),
    ] + systemd(command.replacing("mirror", with: program, maxReplacements: 1))
  }

  private static func neomutt(
    _ draft: AccountDraft, _ folder: String, _ command: String, drafts: String, trash: String
  ) -> ReaderLines {
    var lines = [
      "set mbox_type = Maildir", "set folder = \(quoted(folder))", "set spoolfile = \"+INBOX\"",
      "set postponed = \(quoted("+" + drafts))", "set trash = \(quoted("+" + trash))",
      "set from = \(quoted(draft.email))",
    ]
    if draft.smtp != nil {
      lines += ["set sendmail = \(quoted(command + " sendmail -oi -oem"))", "unset record"]
    }
    lines.append("set query_command = \(quoted(command + " address %s"))")
    return ReaderLines(program: "neomutt", file: "~/.config/neomutt/neomuttrc", lines: lines)
  }

  private static func aerc(_ draft: AccountDraft, _ folder: String, _ command: String)
    -> ReaderLines
  {
    var lines = [
      "[\(draft.account)]", "source = maildir://\(folder)", "default = INBOX",
      "from = \(sender(draft))",
    ]
    if draft.smtp != nil { lines.append("outgoing = \(command) sendmail -t -i") }
    lines.append("address-book-cmd = \(command) address --no-header %s")
    return ReaderLines(program: "aerc", file: "~/.config/aerc/accounts.conf", lines: lines)
  }

  private static func mu4e(
    _ draft: AccountDraft, _ root: String, _ command: String, drafts: String, sent: String,
    trash: String, archive: String
  ) -> ReaderLines {
    func place(_ name: String) -> String { lisp("/\(draft.account)/\(name)") }
    var lines = [
      "; once: mu init --maildir=\(root) \\", ";   --my-address=\(draft.email)",
      "(setq mu4e-get-mail-command \(lisp(command + " pull"))",
      "      user-mail-address \(lisp(draft.email))",
      "      mu4e-drafts-folder \(place(drafts))", "      mu4e-sent-folder \(place(sent))",
      "      mu4e-trash-folder \(place(trash))", "      mu4e-refile-folder \(place(archive)))",
    ]
    if draft.smtp != nil {
      let arguments =
        command.split(separator: " ").dropFirst().map { String($0) } + [
          "sendmail", "-t", "-i",
        ]
      lines += [
        "(setq message-send-mail-function 'message-send-mail-with-sendmail",
        "      sendmail-program (executable-find \"mirror\")",
        "      message-sendmail-extra-arguments",
        "      '(\(arguments.map(lisp).joined(separator: " ")))",
        "      mu4e-sent-messages-behavior 'delete)",
      ]
    }
    return ReaderLines(program: "mu4e", file: "~/.emacs.d/init.el", lines: lines)
  }

  private static func systemd(_ command: String) -> [ReaderLines] {
    [
      ReaderLines(
        program: "systemd", file: "~/.config/systemd/user/mirror-pull.service",
        lines: ["[Service]", "Type=oneshot", "ExecStart=\(command) pull -q"]),
      ReaderLines(
        program: "systemd", file: "~/.config/systemd/user/mirror-pull.timer",
        lines: [
          "[Timer]", "OnStartupSec=1min", "OnUnitActiveSec=5min", "[Install]",
          "WantedBy=timers.target",
          "# then: systemctl --user enable --now mirror-pull.timer",
        ]),
    ]
  }

  private static func sender(_ draft: AccountDraft) -> String {
    guard let name = draft.realName, !name.isEmpty else { return draft.email }
    return "\(quoted(name)) <\(draft.email)>"
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  private static func lisp(_ text: String) -> String { quoted(text) }
}
