import CLISupport
import IMAPClient
import IMAPWire
import MailCore

/// What a server's capabilities mean for a person: how quick a pull is, and what a push can rely on.
struct ServerAbilities {
  let capabilities: CapabilitySet
  let quirks: Set<Quirk>
  let server: String

  init(session: IMAPSession) {
    self.init(
      capabilities: session.capabilities, quirks: session.quirks,
      server: Self.name(session.families, session.serverID?.name))
  }

  /// By what it is known to be, and by what it calls itself, where that says more.
  static func name(_ families: [ServerFamily], _ own: String?) -> String {
    let titles = families.map(\.title)
    let isSaid = own.map { own in titles.contains { Keywords.fold($0) == Keywords.fold(own) } }
    return (titles + (isSaid == false ? [own].compactMap(\.self) : [])).joined(separator: ", ")
  }

  init(capabilities: CapabilitySet, quirks: Set<Quirk>, server: String) {
    self.capabilities = capabilities
    self.quirks = quirks
    self.server = server
  }

  func findings() -> [Finding] {
    [changes, discovery, download, push, known] + costs
  }

  private var changes: Finding {
    if capabilities.contains(.qresync) {
      return .fine("changes", "QRESYNC: only what changed is sent, expunged messages too")
    }
    if capabilities.contains(.condstore) {
      return .fine("changes", "CONDSTORE: only changed flags are sent; expunged ones are searched")
    }
    return .notice(
      "changes", "neither QRESYNC nor CONDSTORE: each pull asks for the flags of every message.")
  }

  private var discovery: Finding {
    capabilities.contains(.listStatus)
      ? .fine("discovery", "LIST-STATUS: all mailboxes in one round trip")
      : .notice("discovery", "no LIST-STATUS: one STATUS command for each mailbox.")
  }

  private var download: Finding {
    var words: [String] = []
    if capabilities.contains(.compressDeflate) { words.append("COMPRESS=DEFLATE") }
    if capabilities.contains(.gmail) { words.append("X-GM-MSGID: each message comes once") }
    if capabilities.contains(.objectID) { words.append("OBJECTID: a moved message is known again") }
    return words.isEmpty
      ? .fine("download", "plain") : .fine("download", words.joined(separator: "; "))
  }

  private var push: Finding {
    let missing = [(Capability.uidPlus, "UIDPLUS"), (.move, "MOVE")]
      .filter { !capabilities.contains($0.0) }.map(\.1)
    return missing.isEmpty
      ? .fine("changing", "UIDPLUS and MOVE: moves and deletions can be confirmed")
      : .notice(
        "changing", "no \(missing.joined(separator: ", no ")): deletions can only be marked.")
  }

  private var known: Finding {
    .fine("server", server.isEmpty ? "of no known kind" : server)
  }

  /// A line each: what the server does wrong, and what that costs.
  private var costs: [Finding] {
    Quirk.allCases.filter(quirks.contains).compactMap { quirk in
      quirk.cost.map { .notice("quirk", "\(quirk.rawValue): \($0).") }
    }
  }
}
