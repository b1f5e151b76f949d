import Testing

@testable import Setup

@Suite struct ReaderLinesTests {
  @Test func `each reader is told the tree, the folders and how to send`() throws {
    var draft = AccountDraft(
      account: "work", email: "alice@example.org",
      imap: ServerOffer(host: "h", port: 993, tls: .implicit, user: "u"),
      smtp: ServerOffer(host: "h", port: 465, tls: .implicit, user: "u"))
    draft.realName = "Alice \"A\" Example"
    let all = ReaderLines.all(
      draft, root: "~/Mail",
      folders: [FolderInfo(name: "INBOX.Müll", path: "INBOX/Müll", role: .trash)],
      command: "mirror --config /c.toml", program: "/opt/bin/mirror")
    let texts = Dictionary(
      all.map { ($0.file, $0.lines.joined(separator: "\n")) }, uniquingKeysWith: { $0 + $1 })
    let neomutt = try #require(texts["~/.config/neomutt/neomuttrc"])
    #expect(neomutt.contains("set folder = \"~/Mail/work\""))
    #expect(neomutt.contains("set trash = \"+INBOX/Müll\""))
    #expect(neomutt.contains("set sendmail = \"mirror --config /c.toml sendmail -oi -oem\""))
    let aerc = try #require(texts["~/.config/aerc/accounts.conf"])
    #expect(aerc.contains("source = maildir://~/Mail/work"))
    #expect(aerc.contains("from = \"Alice \\\"A\\\" Example\" <alice@example.org>"))
    let mu4e = try #require(texts["~/.emacs.d/init.el"])
    #expect(mu4e.contains("\"--config\" \"/c.toml\" \"sendmail\""))
    let unit = try #require(texts["~/.config/systemd/user/mirror-pull.service"])
    #expect(unit.contains("ExecStart=/opt/bin/mirror --config /c.toml pull -q"))
    draft.smtp = nil
    let receiving = ReaderLines.all(
      draft, root: "/m/", folders: [], command: "mirror", program: "/opt/bin/mirror")
    #expect(!receiving.flatMap(\.lines).contains { $0.contains("sendmail") })
    for line in all.flatMap(\.lines) { #expect(line.count <= 76, "\(line)") }
  }
}
