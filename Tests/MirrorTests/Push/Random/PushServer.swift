import MailTestKit

/// A server that a story plays on.
enum PushServer: CustomStringConvertible {
  case dovecot(DovecotServer.Options)
  /// Takes all names, and lets its marks pass from one mailbox to another.
  case model(Dialect, String)

  static let dovecots: [PushServer] =
    (LaterPullTests.ways + [
      .init(without: ["MOVE"]), .init(without: ["MOVE", "QRESYNC", "CONDSTORE"]),
    ]).map { .dovecot($0.withoutCostlyLogIns) }
  static let all =
    dovecots + [
      .model(.modern, "modern"), .model(.condstore.with(["MOVE"]), "condstore"),
      .model(.bare.with(["MOVE", "UIDPLUS", "LIST-EXTENDED", "SPECIAL-USE"]), "plain"),
    ]

  var description: String {
    switch self {
    case .dovecot(let options): options.description
    case .model(_, let name): "model \(name)"
    }
  }

  func scenario() throws -> (Scenario, MailAccount?) {
    switch self {
    case .dovecot(let options): return (try Scenario(options), nil)
    case .model(let dialect, _):
      let account = MailAccount()
      for (number, name) in ["Drafts", "Sent", "Trash", "Junk", "Archive"].enumerated() {
        account.add(name, attributes: ["\\" + name], uidValidity: 1_500_000_001 + UInt32(number))
      }
      return (try Scenario(model: ModelServer(account, dialect)), account)
    }
  }

  func dovecot() throws -> DovecotServer {
    guard case .dovecot(let options) = self else { throw KitError("\(self) is no Dovecot") }
    return try .shared(options)
  }
}

extension Dialect {
  fileprivate func with(_ more: Set<String>) -> Dialect {
    var dialect = self
    dialect.capabilities.formUnion(more)
    return dialect
  }
}
