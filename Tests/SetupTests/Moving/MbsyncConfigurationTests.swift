import MailCore
import Settings
import Testing

@testable import Setup

@Suite struct MbsyncConfigurationTests {
  private func trees(_ text: String) -> [PeerTree] {
    MbsyncConfiguration(text, home: "/home/alice").trees
  }

  private let server = """
    IMAPAccount studio
    Host imap.example.org
    User "alice@example.org"
    PassCmd "pass show \\"mail/studio\\""

    IMAPStore studio-far
    Account studio

    """

  @Test func `a store is found with its server, places and layout`() throws {
    let found = trees(
      server + """
        MaildirStore studio-near
        Path ~/.mail/studio/
        Inbox "~/.mail/studio/In box"
        SubFolders Verbatim

        Channel studio
        Far :studio-far:
        Near :studio-near:
        Patterns *

        """)
    let tree = try #require(found.first)
    #expect(found.count == 1)
    #expect(tree.path == "/home/alice/.mail/studio")
    #expect(tree.inbox == "/home/alice/.mail/studio/In box")
    #expect(tree.style == .verbatim)
    #expect(tree.server == PeerServer(host: "imap.example.org", user: "alice@example.org"))
    #expect(tree.mapping.verdict(on: "Archive/2024") == .mailbox("Archive/2024"))
    #expect(tree.remarks == [])
  }

  @Test(arguments: [
    ("SubFolders Maildir++", FolderStyle.maildirPlusPlus), ("subfolders legacy", .legacy),
    ("SubFolders Verbatim\nFlatten .", .joined(".")), ("", .guessed),
  ])
  func `the layout is known by its name in any case`(lines: String, style: FolderStyle) throws {
    let tree = try #require(
      trees("MaildirStore near\nInbox ~/Maildir/\n\(lines)\n").first)
    #expect(tree.style == style)
    #expect(tree.path == "/home/alice/Maildir" && tree.inbox == tree.path)
  }

  @Test func `channels say which mailbox a folder is`() throws {
    let mapping = try #require(
      trees(
        server + """
          MaildirStore near
          Path ~/mail/
          Inbox ~/mail/inbox

          Channel inbox
          Master :studio-far:
          Slave :near:

          Channel sent
          Far :studio-far:"[Gmail]/Sent Mail"
          Near :near:sent

          Channel rest
          Far :studio-far:Lists/
          Near :near:
          Patterns * !Secret*
          # a comment ends nothing
          Patterns "Secret Santa"
          """
      ).first?.mapping)
    #expect(mapping.verdict(on: "INBOX") == .mailbox("INBOX"))
    #expect(mapping.verdict(on: "sent") == .mailbox("[Gmail]/Sent Mail"))
    #expect(mapping.verdict(on: "swift/dev") == .mailbox("Lists/swift/dev"))
    #expect(mapping.verdict(on: "Secret") == .unsynced)
    #expect(mapping.verdict(on: "Secret Santa") == .mailbox("Lists/Secret Santa"))
  }

  @Test func `one store for two servers is two trees`() {
    let found = trees(
      server + """
        IMAPStore home-far
        Host mail.example.net
        User alice

        MaildirStore near
        Path ~/mail/

        Channel a
        Far :studio-far:
        Near :near:studio/
        Patterns *

        Channel b
        Far :home-far:
        Near :near:home/
        Patterns *
        """)
    #expect(found.map(\.server?.user) == ["alice@example.org", "alice"])
    #expect(found.map(\.server?.host) == ["imap.example.org", "mail.example.net"])
    #expect(found[0].mapping.verdict(on: "studio/Archive") == .mailbox("Archive"))
    #expect(found[0].mapping.verdict(on: "home/Archive") == .othersMailbox)
    #expect(found[0].mapping.verdict(on: "else") == .unsynced)
  }

  @Test func `the server's prefix stands before all mailboxes but the INBOX`() throws {
    let tree = try #require(
      trees(
        """
        IMAPStore far
        Host h
        User u
        Path "INBOX."

        MaildirStore near
        Path ~/m/

        Channel c
        Far :far:
        Near :near:
        Patterns *
        """
      ).first)
    #expect(tree.mapping.verdict(on: "Archive") == .mailbox("INBOX/Archive"))
    #expect(tree.mapping.verdict(on: "Inbox") == .mailbox("Inbox"))
  }

  @Test(arguments: [
    "", "\n\n", "MaildirStore", "Channel x\nFar\nNear :", "MaildirStore a\nPath relative\nInbox b",
    "Channel c\r\nFar :a:\r\nNear :b:\r\n", "MaildirStore \"unclosed\\", "Near ::::",
  ])
  func `nonsense gives no tree, and no crash`(text: String) {
    #expect(trees(text).allSatisfy { $0.path.hasPrefix("/") })
  }

  @Test func `damaged configurations are read as far as they can be`() {
    let sample = Array(
      (server + "MaildirStore n\nPath ~/x/\nFlatten .\n\nChannel c\nFar :studio-far:\"a b\"\n"
        + "Near :n:\nPatterns % !x\n[general]\naccounts = a\n[Account a]\nlocalrepository = %(b)s\n")
        .utf8)
    var state: UInt64 = 7
    for _ in 0..<500 {
      var bytes = sample
      for _ in 0..<4 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let place = Int(state >> 33) % bytes.count
        if state >> 62 == 0 {
          bytes.remove(at: place)
        } else {
          bytes[place] = UInt8(truncatingIfNeeded: state >> 20)
        }
      }
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(trees(text).allSatisfy { $0.path.hasPrefix("/") })
      _ = OfflineimapConfiguration(text, environment: ["HOME": "/h"]).trees
    }
  }

  @Test func `lines that end in CR and LF are read like others`() {
    let text = server.replacing("\n", with: "\r\n") + "MaildirStore n\r\nPath ~/x/\r\n\r\n"
    #expect(trees(text).first?.path == "/home/alice/x")
  }
}
