import MailTestKit
import Testing

/// An account on a server that was started for one row.
struct MatrixAccount {
  var port: UInt16
  var user: String
  /// Stands before the names of a person's mailboxes.
  var prefix = ""
  var separator: Character = "/"
  /// Header fields that the server writes into messages.
  var unstableFields: [String] = []
  /// Keys of the account's `imap` table.
  var imap = ""
  /// Keeps the server alive.
  var server: any Sendable

  func client() throws -> IMAPTestClient {
    try IMAPTestClient(port: port, user: user, password: DovecotServer.password)
  }
}

/// A server of the matrix, and how it is dressed.
struct MatrixRow: Sendable, CustomTestStringConvertible {
  var name: String
  /// In every run of all tests, not only in the long ones.
  var isAlways = false
  /// What this server cannot do whatever is asked of it, with the reason: such cells are left out.
  var unable: [MatrixColumn: String] = [:]
  var isInstalled: Bool
  var start: @Sendable () throws -> MatrixAccount

  var testDescription: String { name }

  private static func dovecot(
    _ name: String, _ options: DovecotServer.Options, isAlways: Bool = false, prefix: String = "",
    imap: String = "", unable: [MatrixColumn: String] = [:]
  ) -> MatrixRow {
    MatrixRow(
      name: name, isAlways: isAlways, unable: unable, isInstalled: DovecotServer.isInstalled
    ) {
      let server = try DovecotServer.shared(options)
      return MatrixAccount(
        port: server.port, user: DovecotServer.newUser("m"), prefix: prefix,
        separator: options.separator, imap: imap, server: server)
    }
  }

  /// Announces these extensions alone; the commands would work all the same.
  private static func announcing(_ capabilities: String, more: String = "")
    -> DovecotServer.Options
  {
    DovecotServer.Options(
      more: "protocol imap {\n  imap_capability = \(capabilities)\n}\n" + more)
  }

  private static func unpacked(
    _ name: String, isAlways: Bool = false, separator: Character = "/", prefix: String = "",
    unable: [MatrixColumn: String] = [:], if isInstalled: Bool,
    _ start: @escaping @Sendable () throws -> UnpackedServer
  ) -> MatrixRow {
    MatrixRow(name: name, isAlways: isAlways, unable: unable, isInstalled: isInstalled) {
      let server = try start()
      return MatrixAccount(
        port: server.port, user: server.user, prefix: prefix, separator: separator, server: server)
    }
  }

  /// Mailboxes of others, below `shared/` and their names.
  private static let sharing = """
    mail_plugins = acl
    protocol imap {
      mail_plugins = acl imap_acl
    }
    plugin {
      acl = vfile
      acl_shared_dict = file:%h/../shared-mailboxes
    }
    namespace others {
      type = shared
      separator = /
      prefix = shared/%%u/
      location = sdbox:%%h/mail
      subscriptions = no
      list = children
    }

    """

  private static let noKeywords: [MatrixColumn: String] = [.keywords: "no keywords there"]

  /// mbox has nowhere to keep the UIDVALIDITY of an empty mailbox: mailutils takes the time instead.
  private static let emptyIsUnnumbered: [MatrixColumn: String] = Dictionary(
    uniqueKeysWithValues: [.trash, .expunge, .draft, .mailboxes, .renumbered, .verify].map {
      ($0, "an empty mailbox there is another one at each look: what is to go into one waits")
    })

  static let all: [MatrixRow] = [
    dovecot("Dovecot, sdbox", .init()),
    dovecot("Dovecot, mdbox", .init(store: .mdbox)),
    dovecot("Dovecot, Maildir++", .init(store: .maildir)),
    dovecot("Dovecot, Maildir in directories", .init(mailLocation: "maildir:~/mail:LAYOUT=fs")),
    dovecot(
      "Dovecot, mbox", .init(mailLocation: "mbox:~/mail:INBOX=~/inbox")),
    dovecot(
      "as Gmail announces",
      announcing(
        "IMAP4rev1 UNSELECT IDLE NAMESPACE QUOTA ID XLIST CHILDREN UIDPLUS ENABLE MOVE CONDSTORE "
          + "ESEARCH LIST-EXTENDED LIST-STATUS LITERAL- SPECIAL-USE APPENDLIMIT=35651584")),
    dovecot(
      "as Exchange announces",
      announcing(
        "IMAP4 IMAP4rev1 AUTH=PLAIN SASL-IR UIDPLUS MOVE ID UNSELECT CHILDREN IDLE NAMESPACE "
          + "LITERAL+")),
    dovecot(
      "as Yahoo announces",
      announcing("IMAP4rev1 SASL-IR LITERAL+ ID NAMESPACE UIDPLUS UNSELECT ENABLE CONDSTORE")),
    dovecot("IMAP4rev1 alone", announcing("IMAP4rev1"), isAlways: true),
    dovecot(
      "with ACL",
      .init(
        more: """
          mail_plugins = acl
          protocol imap {
            mail_plugins = acl imap_acl
          }
          plugin {
            acl = vfile
          }

          """)),
    dovecot(
      "with a quota",
      .init(
        more: """
          mail_plugins = quota
          protocol imap {
            mail_plugins = quota imap_quota
          }
          plugin {
            quota = count:User quota
            quota_rule = *:storage=100M
            quota_vsizes = yes
          }

          """)),
    dovecot(
      "two connections", .init(more: "mail_max_userip_connections = 2\n"),
      unable: [.watch: "the watch has two, and the person beside it needs a third"]),
    dovecot("dots", .init(separator: ".")),
    dovecot(
      "INBOX. before names",
      .init(separator: ".", more: "namespace inbox {\n  prefix = INBOX.\n}\n"), prefix: "INBOX."),
    MatrixRow(name: "shared namespaces", isInstalled: DovecotServer.isInstalled) {
      let server = try DovecotServer.shared(.init(more: sharing))
      let (owner, user) = (DovecotServer.newUser("o"), DovecotServer.newUser("m"))
      let client = try server.client(owner)
      try client.create("Team")
      try client.append([SampleMessage(token: "t0")], to: "Team")
      try client.command("SETACL Team \(user) lrswipkxte")
      client.logout()
      let shared = "shared/\(owner)/Team"
      guard try server.client(user).mailboxes().contains(shared) else {
        throw KitError("\(shared) is not listed")
      }
      return MatrixAccount(port: server.port, user: user, server: server)
    },
    MatrixRow(name: "Cyrus", isAlways: true, isInstalled: CyrusServer.isInstalled) {
      let server = try CyrusServer.shared()
      return MatrixAccount(port: server.port, user: DovecotServer.newUser("m"), server: server)
    },
    MatrixRow(name: "Cyrus with idled", isInstalled: CyrusServer.isInstalled) {
      let server = try CyrusServer.sharedWithIdled()
      return MatrixAccount(port: server.port, user: DovecotServer.newUser("m"), server: server)
    },
    MatrixRow(
      name: "Cyrus behind imapc",
      isInstalled: CyrusServer.isInstalled && DovecotServer.isInstalled
    ) {
      let server = try DovecotServer.front(of: CyrusServer.shared())
      return MatrixAccount(port: server.port, user: DovecotServer.newUser("m"), server: server)
    },
    unpacked(
      "Courier", isAlways: true, separator: ".", prefix: "INBOX.",
      if: UnpackedServer.hasCourier
    ) { try .courier() },
    unpacked(
      "pymap",
      unable: noKeywords.and([.verify: "its sizes count line ends as one byte"]),
      if: UnpackedServer.hasPymap
    ) { try .pymap() },
    MatrixRow(
      name: "mailutils, mbox", unable: noKeywords.and(emptyIsUnnumbered),
      isInstalled: UnpackedServer.hasMailutils
    ) {
      let server = try UnpackedServer.mailutils()
      return MatrixAccount(
        port: server.port, user: server.user,
        unstableFields: ["X-UID:", "X-IMAPbase:", "Status:", "X-Status:"], server: server)
    },
    unpacked(
      "perdition", if: UnpackedServer.hasPerdition && DovecotServer.isInstalled
    ) { try .perdition(before: .shared()) },
    unpacked(
      "imapproxy", if: UnpackedServer.hasImapproxy && DovecotServer.isInstalled
    ) { try .imapproxy(before: .shared()) },
  ]
}

extension [MatrixColumn: String] {
  fileprivate func and(_ others: [MatrixColumn: String]) -> [MatrixColumn: String] {
    merging(others) { $1 }
  }
}
