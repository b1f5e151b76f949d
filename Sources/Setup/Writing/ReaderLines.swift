/// What to write into other programs' configurations so that they use the account.
///
/// These are the lines of `contrib/readers` and `contrib/systemd` without which it does not work; a test holds the two
/// against each other.
package struct ReaderLines: Sendable, Equatable {
  package var program: String
  /// The file that the lines belong into.
  package var file: String
  package var lines: [String]

  /// - Parameters:
  ///   - root: as a person writes it: `~/Mail`.
  ///   - folders: the server's, where they are known: their roles tell the names.
  package static func all(
    _ draft: AccountDraft, root: String, folders: [FolderInfo], call: MirrorCall
  ) -> [ReaderLines] {
    let place = Place(
      root: root.hasSuffix("/") ? String(root.dropLast()) : root, account: draft.account,
      folders: folders)
    return [neomutt(draft, place, call)] + aerc(draft, place, call)
      + [mu4e(draft, place, call)] + systemd(call)
  }

  /// Where the account's folders lie.
  struct Place {
    var root: String
    var account: String
    var folders: [FolderInfo]

    var drafts: String { name("drafts", "Drafts") }
    var sent: String { name("sent", "Sent") }
    var trash: String { name("trash", "Trash") }
    var archive: String { name("archive", "Archive") }

    /// Servers that tell no roles mostly use the usual names, if below INBOX.
    private func name(_ role: String, _ usual: String) -> String {
      let told = folders.first { $0.role?.rawValue == role }
      let named = folders.first {
        $0.path.split(separator: "/").last?.lowercased() == usual.lowercased()
      }
      return (told ?? named)?.path ?? usual
    }
  }

  // MARK: neomutt

  private static func neomutt(_ draft: AccountDraft, _ place: Place, _ call: MirrorCall)
    -> ReaderLines
  {
    func folder(_ name: String) -> String { QuotedText.neomutt("+\(place.account)/\(name)") }
    var lines: [String] = []
    if let name = draft.realName, !name.isEmpty {
      lines.append("set real_name = \(QuotedText.neomutt(name))")
    }
    lines += ["set from = \(QuotedText.neomutt(draft.email))", "set use_from"]
    // neomutt cuts $sendmail at each blank and knows no quotes there.
    if let configuration = call.configuration {
      lines.append("setenv MIRROR_CONFIG \(QuotedText.neomutt(configuration))")
    }
    lines += [
      "set mbox_type = Maildir", "set folder = \(QuotedText.neomutt(place.root))",
      "set spool_file = \(folder("INBOX"))", "set postponed = \(folder(place.drafts))",
      "set mbox = \(folder(place.archive))", "set move = no",
      "mailboxes `find \(QuotedText.shellInQuotes(place.root)) -name '.?*' -prune \\",
      #"  -o -type d -name cur -printf "%h\n" | grep -v "'" | sort \"#,
      #"  | sed "s/.*/'&'/" | tr '\n' ' '`"#, "unset trash", "set delete = yes",
      "set maildir_trash = no", "set mark_old = no",
    ]
    if draft.smtp != nil {
      lines += [
        "set sendmail = \(QuotedText.neomutt(call.program + " sendmail -oi"))", "set copy = no",
        "unset record",
      ]
    }
    lines += [
      "set query_command = \(QuotedText.neomutt(QuotedText.shell(call.program) + " address %s"))",
      "bind editor <Tab> complete-query",
    ]
    return ReaderLines(program: "neomutt", file: "~/.config/neomutt/neomuttrc", lines: lines)
  }

  // MARK: aerc

  private static func aerc(_ draft: AccountDraft, _ place: Place, _ call: MirrorCall)
    -> [ReaderLines]
  {
    let source = "maildir://" + QuotedText.addressPath("\(place.root)/\(place.account)")
    var account = [
      ("source", source), ("folders-exclude", #"~^\.mirror"#), ("default", "INBOX"),
      ("from", sender(draft)),
    ]
    if draft.smtp != nil {
      account.append(("outgoing", QuotedText.address(call.shell("sendmail -oi"))))
    }
    account += [
      ("postpone", place.drafts), ("archive", place.archive), ("check-mail", "10m"),
      ("check-mail-cmd", call.shell("sync -q")), ("check-mail-timeout", "10m"),
    ]
    let keys = account.map { "\($0) = \(QuotedText.aerc($1))" }
    let completion = QuotedText.aerc(call.shell("address --no-header %s"))
    return [
      ReaderLines(
        program: "aerc", file: "~/.config/aerc/accounts.conf", lines: ["[\(place.account)]"] + keys),
      ReaderLines(
        program: "aerc", file: "~/.config/aerc/aerc.conf",
        lines: ["[compose]", "address-book-cmd = \(completion)"]),
    ]
  }

  private static func sender(_ draft: AccountDraft) -> String {
    guard let name = draft.realName, !name.isEmpty else { return draft.email }
    let isPlain = name.utf8.allSatisfy { byte in
      byte >= 0x80 || byte == 0x20 || byte == 0x27 || byte == 0x2D
        || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }
    return "\(isPlain ? name : QuotedText.phrase(name)) <\(draft.email)>"
  }
}
