/// How a server speaks: what it announces, and its habits.
package struct Dialect: Sendable {
  package var greeting = "* OK ready"
  /// Before log-in.
  package var publicCapabilities: Set<String> = ["IMAP4rev1", "SASL-IR", "AUTH=PLAIN", "LITERAL+"]
  package var capabilities: Set<String>
  /// Answers ID with this name.
  package var name: String? = nil
  package var delimiter = "/"
  /// Stands before the names of a person's own mailboxes: told by NAMESPACE, and not asked for.
  package var namePrefix = ""
  /// Of mailboxes that all share.
  package var sharedPrefix: String?
  package var password = "pw"
  /// The order of items in FETCH responses.
  package var uidLast = false
  /// Sends the ENABLED response.
  package var confirmsEnable = true
  /// Sends the capabilities with the OK that ends the log-in.
  package var volunteersCapabilities = true
  package var trailingSpaceInStatus = false
  /// Only so many messages of a mailbox are shown, the newest.
  package var viewLimit: Int?
  /// Only messages are shown that are as new as this INTERNALDATE, in Unix seconds, and drafts.
  package var viewStart: Int64?
  /// A command that changes a message that is not there changes the next one.
  package var actsOnNextUID = false
  /// Flags are lost where APPEND brings them, and where COPY does.
  package var forgetsFlags = false
  /// SEARCH takes UIDs for sequence numbers.
  package var searchesByNumber = false
  /// PERMANENTFLAGS holds `\*`.
  package var takesNewKeywords = true
  /// Where mailboxes are labels.
  package var labels = LabelSettings()
  /// Looks at a command before it is carried out; what it returns is the completion instead, say `NO [NOPERM] no`.
  package var refusing: (@Sendable (ModelCommand) -> String?)?
  /// What is kept of a message that APPEND brings: some servers rewrite.
  package var storing: (@Sendable ([UInt8]) -> [UInt8])?

  package init(capabilities: Set<String>) {
    self.capabilities = capabilities.union(["IMAP4rev1"])
  }

  package func has(_ capability: String) -> Bool { capabilities.contains(capability) }

  /// Nothing beyond RFC 3501.
  package static let bare = Dialect(capabilities: [])

  /// Everything that this model can do.
  package static let modern = Dialect(capabilities: [
    "SASL-IR", "LITERAL+", "ENABLE", "CONDSTORE", "QRESYNC", "UIDPLUS", "MOVE", "ESEARCH",
    "UNSELECT",
    "LIST-EXTENDED", "LIST-STATUS", "SPECIAL-USE", "NAMESPACE", "ID", "OBJECTID", "STATUS=SIZE",
  ])

  package static let condstore = Dialect(capabilities: [
    "SASL-IR", "LITERAL+", "ENABLE", "CONDSTORE", "UIDPLUS", "ESEARCH", "UNSELECT", "LIST-EXTENDED",
    "LIST-STATUS", "SPECIAL-USE", "NAMESPACE", "ID",
  ])

  package static let gmail: Dialect = {
    var dialect = Dialect(capabilities: [
      "UNSELECT", "IDLE", "NAMESPACE", "QUOTA", "ID", "XLIST", "CHILDREN", "X-GM-EXT-1", "UIDPLUS",
      "ENABLE", "MOVE", "CONDSTORE", "ESEARCH", "UTF8=ACCEPT", "LIST-EXTENDED", "LIST-STATUS",
      "LITERAL-", "SPECIAL-USE", "APPENDLIMIT=35651584",
    ])
    dialect.greeting = "* OK Gimap ready for requests from 127.0.0.1 x1mb1"
    dialect.publicCapabilities = [
      "IMAP4rev1", "UNSELECT", "IDLE", "NAMESPACE", "QUOTA", "ID", "XLIST", "CHILDREN",
      "X-GM-EXT-1",
      "SASL-IR", "AUTH=PLAIN", "AUTH=XOAUTH2",
    ]
    dialect.name = "GImap"
    dialect.takesNewKeywords = false
    return dialect
  }()

  package static let exchange: Dialect = {
    var dialect = Dialect(capabilities: [
      "IMAP4", "AUTH=PLAIN", "AUTH=XOAUTH2", "SASL-IR", "UIDPLUS", "MOVE", "ID", "UNSELECT",
      "CHILDREN",
      "IDLE", "NAMESPACE", "LITERAL+",
    ])
    dialect.greeting = "* OK The Microsoft Exchange IMAP4 service is ready. [QQBCAEMA]"
    dialect.publicCapabilities = ["IMAP4", "IMAP4rev1", "AUTH=PLAIN", "SASL-IR", "ID", "LITERAL+"]
    dialect.volunteersCapabilities = false
    dialect.trailingSpaceInStatus = true
    return dialect
  }()

  package static let iCloud: Dialect = {
    var dialect = Dialect(capabilities: [
      "XAPPLEPUSHSERVICE", "UIDPLUS", "CONDSTORE", "QRESYNC", "ENABLE", "ESEARCH", "ID",
      "NAMESPACE",
      "UNSELECT", "LITERAL+", "SASL-IR", "X-APPLE-REMOTE-LINKS",
    ])
    dialect.greeting = "* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN XAPPLELITERAL] iSCREAM ready"
    dialect.confirmsEnable = false
    dialect.name = "iCloud"
    return dialect
  }()

  package static let yahoo: Dialect = {
    var dialect = Dialect(capabilities: [
      "SASL-IR", "LITERAL+", "ID", "MOVE", "NAMESPACE", "XYMHIGHESTMODSEQ", "UIDPLUS", "UNSELECT",
      "OBJECTID", "ENABLE", "CONDSTORE",
    ])
    dialect.uidLast = true
    return dialect
  }()
}
