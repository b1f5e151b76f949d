import Foundation
import Testing

@testable import Setup

@Suite struct ReaderLinesTests {
  private func draft() -> AccountDraft {
    let server = ServerOffer(host: "h", port: 993, tls: .implicit, user: "u")
    var draft = AccountDraft(
      account: "personal", email: "alice@example.org", imap: server, smtp: server)
    draft.realName = "Alice Example"
    return draft
  }

  private func texts(
    _ draft: AccountDraft, root: String = "~/Mail", folders: [FolderInfo] = [],
    configuration: String? = nil, program: String = "mirror", path: String = "/opt/bin/mirror"
  ) -> [String: [String]] {
    Dictionary(
      uniqueKeysWithValues: ReaderLines.all(
        draft, root: root, folders: folders,
        call: MirrorCall(program: program, configuration: configuration, path: path)
      ).map { ($0.file, $0.lines) })
  }

  private static let contrib = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("contrib")

  /// Without comments, blank lines and indents.
  private static func settings(_ lines: [String], comment: String) -> [String] {
    lines.map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !$0.hasPrefix(comment) }
  }

  /// File of ours, where it lies in `contrib`, how its comments begin, and the beginnings of lines that are more than
  /// what is needed.
  private static let pairs: [(String, String, String, [String])] = [
    (
      "~/.config/neomutt/neomuttrc", "readers/neomutt/neomuttrc", "#",
      ["macro ", "unignore ", "set mail_check_stats", "auto_view ", "alternative_order "]
    ),
    ("~/.config/aerc/accounts.conf", "readers/aerc/accounts.conf", "#", []),
    (
      "~/.config/aerc/aerc.conf", "readers/aerc/aerc.conf", "#",
      ["[ui]", "sort ", "[filters]", "text/"]
    ),
    (
      "~/.emacs.d/init.el", "readers/mu4e/mirror-mu4e.el", ";",
      [
        "\"Queue the message", "This is for", "Emacs's own function", "wants them",
        "(provide 'mirror-mu4e)",
      ]
    ),
  ]

  /// Two recipes for one dish would sooner or later be two dishes.
  @Test(arguments: pairs)
  func `what init prints is what contrib has`(
    file: String, place: String, comment: String, comforts: [String]
  ) throws {
    let text = try String(
      contentsOf: Self.contrib.appendingPathComponent(place), encoding: .utf8)
    let printed = Self.settings(try #require(texts(draft())[file]), comment: comment)
    let kept = Self.settings(
      text.split(separator: "\n").map(String.init), comment: comment
    ).filter { line in !comforts.contains { line.hasPrefix($0) } }
    #expect(Set(printed).subtracting(kept) == [])
    #expect(Set(kept).subtracting(printed) == [])
  }

  @Test func `the unit that init prints is that of contrib without what is harder`() throws {
    let unit = "mirror-watch.service"
    let text = try String(
      contentsOf: Self.contrib.appendingPathComponent("systemd/" + unit), encoding: .utf8)
    let all = texts(draft(), path: "mirror")
    let lines = try #require(all["~/.config/systemd/user/" + unit])
    #expect(
      Set(Self.settings(lines, comment: "#")).subtracting(
        text.split(separator: "\n").map(String.init)) == [])
  }

  @Test func `each reader is told the tree, the folders and how to send`() throws {
    var draft = draft()
    (draft.account, draft.realName) = ("office", "Alice \"A\" Example")
    let all = texts(
      draft,
      folders: [
        FolderInfo(name: "INBOX.Müll", path: "INBOX/Müll", role: .trash),
        FolderInfo(name: "INBOX.drafts", path: "INBOX/drafts"),
      ], configuration: "/c.toml")
    let neomutt = try #require(all["~/.config/neomutt/neomuttrc"])
    #expect(neomutt.contains("set spool_file = \"+office/INBOX\""))
    #expect(neomutt.contains("set postponed = \"+office/INBOX/drafts\""))
    #expect(neomutt.contains("setenv MIRROR_CONFIG \"/c.toml\""))
    let aerc = try #require(all["~/.config/aerc/accounts.conf"])
    #expect(aerc.contains("source = maildir://~/Mail/office"))
    #expect(aerc.contains("from = \"Alice \\\"A\\\" Example\" <alice@example.org>"))
    #expect(aerc.contains("outgoing = mirror --config /c.toml sendmail -oi"))
    let mu4e = try #require(all["~/.emacs.d/init.el"])
    #expect(mu4e.contains("(setenv \"MIRROR_CONFIG\" \"/c.toml\")"))
    #expect(mu4e.contains("      mu4e-trash-folder \"/office/INBOX/Müll\""))
    let unit = try #require(all["~/.config/systemd/user/mirror-watch.service"])
    #expect(unit.contains("ExecStart=/opt/bin/mirror --config /c.toml watch -q"))
    draft.smtp = nil
    #expect(!texts(draft).values.joined().contains { $0.contains("sendmail") })
    for line in all.values.joined() { #expect(line.count <= 76, "\(line)") }
  }

  @Test func `blanks and signs in paths are quoted as each program wants it`() throws {
    let all = texts(
      draft(), root: "/srv/my $mail", configuration: "/my conf/100%;'x.toml",
      path: "/opt/my bin/mirror")
    let neomutt = try #require(all["~/.config/neomutt/neomuttrc"])
    #expect(neomutt.contains(#"set folder = "/srv/my \$mail""#))
    #expect(neomutt.contains(#"mailboxes `find "/srv/my \$mail" -name '.?*' -prune \"#))
    #expect(neomutt.contains(#"setenv MIRROR_CONFIG "/my conf/100%;'x.toml""#))
    let aerc = try #require(all["~/.config/aerc/accounts.conf"])
    #expect(aerc.contains("source = maildir:///srv/my%20$mail/personal"))
    #expect(
      aerc.contains(#"outgoing = `mirror --config '/my conf/100%25;'\''x.toml' sendmail -oi`"#))
    #expect(
      aerc.contains(#"check-mail-cmd = `mirror --config '/my conf/100%;'\''x.toml' sync -q`"#))
    let mu4e = try #require(all["~/.emacs.d/init.el"])
    #expect(mu4e.contains(#";;   mu init --maildir='/srv/my\ \$mail' \"#))
    let unit = try #require(all["~/.config/systemd/user/mirror-watch.service"])
    #expect(
      unit.contains(
        #"ExecStart="/opt/my bin/mirror" --config "/my conf/100%%;'x.toml" watch -q"#))
  }
}
