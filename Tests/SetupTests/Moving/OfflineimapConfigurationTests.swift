import Testing

@testable import Setup

@Suite struct OfflineimapConfigurationTests {
  private func trees(_ text: String) -> [PeerTree] {
    OfflineimapConfiguration(
      text, environment: ["HOME": "/home/alice", "MAIL_DIR": "/srv/mail"]
    ).trees
  }

  private let sample = """
    [general]
    # who syncs
    accounts = Work, home

    [Account Work]
    localrepository = WorkLocal
    remoterepository = WorkRemote

    [Repository WorkLocal]
    type = Maildir
    localfolders = ~/Mail/%(subdirectory)s
    subdirectory: work

    [Repository WorkRemote]
    type = IMAP
    remotehost = imap.example.org
    RemoteUser = alice

    [Account home]
    localrepository = HomeLocal
    remoterepository = HomeRemote

    [Repository HomeLocal]
    type = GmailMaildir
    localfolders = $MAIL_DIR/home/
    sep = /

    [Repository HomeRemote]
    type = Gmail
    remoteuser = alice@gmail.com
    nametrans = lambda f:
      re.sub('x', 'y', f)

    """

  @Test func `accounts are found with their servers, places and separators`() throws {
    let found = trees(sample)
    try #require(found.count == 2)
    #expect(found.map(\.path) == ["/home/alice/Mail/work", "/srv/mail/home"])
    #expect(found.map(\.style) == [.joined("."), .verbatim])
    #expect(found[0].server == PeerServer(host: "imap.example.org", user: "alice"))
    #expect(found[1].server == PeerServer(host: "imap.gmail.com", user: "alice@gmail.com"))
    #expect(found[0].remarks == [])
    #expect(found[1].remarks.count == 1 && found[1].remarks[0].contains("nametrans"))
    #expect(found.allSatisfy { $0.inbox == nil })
  }

  @Test func `line ends do not matter`() {
    #expect(trees(sample.replacing("\n", with: "\r\n")) == trees(sample))
  }

  @Test(arguments: [
    "", "[general]", "[general]\naccounts = a", "[general]\naccounts = a\n[Account a]\nx",
    "accounts = a", "[", "]", "[general]\naccounts=%(accounts)s%(accounts)s\n",
    "[general]\naccounts = a\n[Account a]\nlocalrepository = l\n[Repository l]\ntype = IMAP",
  ])
  func `nonsense gives no tree, and no crash`(text: String) {
    #expect(trees(text) == [])
  }
}
