import MailCore
import Settings

/// A domain's own description of its servers: Mozilla's format, version 1.1
/// (wiki.mozilla.org/Thunderbird:Autoconfiguration:ConfigFileFormat).
///
/// Servers without encryption, and with nothing but log-ins that mirror does not speak, are passed over.
package struct AutoconfigDocument: Sendable, Equatable {
  package enum Refusal: Error, Equatable, Sendable {
    /// A web page where the document should be: a captive portal, or a site that answers everything.
    case webPage
    case entities
    case malformed(String)
    case notAutoconfig

    init(_ mistake: XMLMistake) {
      switch mistake {
      case .documentType: self = .entities
      case .malformed(let words, let offset): self = .malformed("\(words) (byte \(offset))")
      case .tooMuch(let what): self = .malformed("too much of it (\(what))")
      }
    }

    package var words: String {
      switch self {
      case .webPage: "answered with a web page"
      case .entities: "sent a document with a DTD or entities, which is refused"
      case .malformed(let words): "sent a document that cannot be read: \(words)"
      case .notAutoconfig: "sent a document of another kind"
      }
    }
  }

  package struct Server: Sendable, Equatable {
    package var type = ""
    package var host = ""
    package var port = ""
    package var socket = ""
    package var user = ""
    package var authentication: [String] = []
  }

  package private(set) var displayName: String?
  package private(set) var incoming: [Server] = []
  package private(set) var outgoing: [Server] = []

  private static let serverLimit = 32

  package init(_ bytes: [UInt8]) throws(Refusal) {
    if Self.isWebPage(bytes) { throw .webPage }
    let isAutoconfig: Bool
    do throws(XMLMistake) {
      isAutoconfig = try read(try XMLReader(bytes))
    } catch {
      throw Refusal(error)
    }
    guard isAutoconfig else { throw .notAutoconfig }
  }

  /// HTML, by its first words.
  static func isWebPage(_ bytes: [UInt8]) -> Bool {
    let head = String(decoding: bytes.prefix(1024), as: UTF8.self).lowercased()
      .drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    return head.hasPrefix("<!doctype html") || head.hasPrefix("<html") || head.hasPrefix("<head")
      || (["<!--", "<?xml", "<!doctype"].contains { head.hasPrefix($0) }
        && head.contains("<html") && !head.contains("<clientconfig"))
  }

  /// False where its root is another one.
  private mutating func read(_ reader: consuming XMLReader) throws(XMLMistake) -> Bool {
    var reader = reader
    var path: [String] = []
    var server: Server?
    var text = ""
    while let event = try reader.next() {
      switch event {
      case .start(let name, let attributes):
        path.append(name)
        text = ""
        if path.count == 1, name != "clientConfig" { return false }
        if path == ["clientConfig", "emailProvider", name],
          name == "incomingServer" || name == "outgoingServer"
        {
          server = Server(type: attributes["type"]?.lowercased() ?? "")
        }
      case .text(let more): text += more
      case .end(let name):
        if path.count == 4 { server?.set(name, Self.trimmed(text)) }
        if path == ["clientConfig", "emailProvider", "displayName"] {
          displayName = Self.trimmed(text)
        }
        if path.count == 3, let whole = server {
          keep(whole, name)
          server = nil
        }
        path.removeLast()
        text = ""
      }
    }
    return true
  }

  private mutating func keep(_ server: Server, _ element: String) {
    guard incoming.count + outgoing.count < Self.serverLimit else { return }
    if element == "incomingServer" { incoming.append(server) } else { outgoing.append(server) }
  }

  private static func trimmed(_ text: String) -> String {
    String(
      text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}

extension AutoconfigDocument.Server {
  fileprivate mutating func set(_ element: String, _ text: String) {
    switch element {
    case "hostname": host = text
    case "port": port = text
    case "socketType": socket = text.uppercased()
    case "username": user = text
    case "authentication":
      if authentication.count < 16 { authentication.append(text.lowercased()) }
    default: break
    }
  }
}

extension AutoconfigDocument {
  /// What it says for one address. TLS from the first byte goes before STARTTLS (RFC 8314 §3).
  package func service(for address: EmailAddress, origin: Origin) -> MailService {
    let imap = offers(incoming.filter { $0.type == "imap" }, address)
    let smtp = offers(outgoing.filter { $0.type == "smtp" }, address)
    var service = MailService(
      origin: origin, imap: imap.best, smtp: smtp.best,
      provider: displayName.map { String(Self.filled($0, address).prefix(60)) })
    if imap.best == nil {
      service.hasNoIMAP = !incoming.isEmpty && !incoming.contains { $0.type == "imap" }
      service.unusable =
        service.hasNoIMAP
        ? "\(address.domain) describes its servers, but none of them speaks IMAP."
        : imap.reason.map { "\(address.domain) describes an IMAP server, but \($0)." }
    }
    if smtp.best == nil {
      service.unusableOutgoing = smtp.reason.map {
        "\(address.domain) describes an outgoing server, but \($0)."
      }
    }
    return service
  }

  private func offers(_ servers: [Server], _ address: EmailAddress) -> (
    best: ServerOffer?, reason: String?
  ) {
    var found: [ServerOffer] = []
    var reason: String?
    for server in servers {
      guard let tls = Self.modes[server.socket] else {
        reason = reason ?? "without encryption"
        continue
      }
      let host = Self.filled(server.host, address).lowercased()
      guard !host.isEmpty, DomainName.isHost(host), let port = UInt16(server.port), port > 0 else {
        reason = reason ?? "under a name or port that cannot be"
        continue
      }
      let known = server.authentication
      guard known.isEmpty || known.contains(where: Self.spoken.contains) else {
        reason = reason ?? "with log-ins that mirror does not speak (\(known[0]))"
        continue
      }
      var user = Self.filled(server.user, address)
      if user.isEmpty { user = address.description }
      guard user.utf8.count <= 320, user == user.visible else {
        reason = reason ?? "with a user's name that cannot be"
        continue
      }
      found.append(ServerOffer(host: host, port: port, tls: tls, user: user))
    }
    return (found.first { $0.tls == .implicit } ?? found.first, reason)
  }

  private static let modes: [String: TLSMode] = ["SSL": .implicit, "STARTTLS": .starttls]
  private static let spoken: Set<String> = [
    "password-cleartext", "password-encrypted", "plain", "secure", "oauth2",
  ]

  private static func filled(_ text: String, _ address: EmailAddress) -> String {
    text.replacing("%EMAILADDRESS%", with: address.description)
      .replacing("%EMAILLOCALPART%", with: address.local)
      .replacing("%EMAILDOMAIN%", with: address.asciiDomain)
  }
}
