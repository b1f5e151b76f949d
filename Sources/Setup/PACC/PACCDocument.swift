import Foundation
import MailCore

/// A domain's own description of its servers in JSON (draft-ietf-mailmaint-pacc-02). It names hosts: the ports are those of
/// TLS from the first byte, the user is the address. Which log-ins they take, the servers themselves tell.
struct PACCDocument: Sendable, Equatable {
  private(set) var imapHost: String?
  private(set) var smtpHost: String?
  private(set) var provider: String?

  static func address(_ domain: String) -> String {
    "https://ua-auto-config.\(domain)/.well-known/user-agent-configuration.json"
  }

  /// Nil for what is no such description.
  init?(_ bytes: [UInt8]) {
    guard let content = try? JSONDecoder().decode(Content.self, from: Data(bytes)) else {
      return nil
    }
    imapHost = content.protocols.imap.flatMap { Self.hostName($0.host) }
    smtpHost = content.protocols.smtp.flatMap { Self.hostName($0.host) }
    provider = content.info?.provider?.shortName ?? content.info?.provider?.name
  }

  func service(for address: EmailAddress) -> MailService {
    func offer(_ host: String?, _ kind: ServerOffer.Kind) -> ServerOffer? {
      host.map {
        ServerOffer(
          host: $0, port: ServerOffer.usualPort(kind, .implicit), tls: .implicit,
          user: address.description)
      }
    }
    var service = MailService(
      origin: .pacc, imap: offer(imapHost, .imap), smtp: offer(smtpHost, .smtp),
      provider: provider.map { String($0.prefix(60)) })
    if imapHost == nil {
      service.unusable = "\(address.domain) describes its servers, but none of them speaks IMAP."
    }
    return service
  }

  /// Shown, connected to and written into a configuration: only host names are let through.
  private static func hostName(_ text: String) -> String? {
    let labels = text.lowercased().split(separator: ".", omittingEmptySubsequences: false)
    let isName =
      labels.count > 1 && text.utf8.count <= 253
      && labels.allSatisfy { label in
        !label.isEmpty && label.first != "-" && label.utf8.count < 64
          && label.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
              UInt8(ascii: "-"):
              true
            default: false
            }
          }
      }
    return isName ? text.lowercased() : nil
  }

  private struct Content: Decodable {
    struct Server: Decodable {
      var host: String
    }
    struct Protocols: Decodable {
      var imap: Server?
      var smtp: Server?
    }
    struct Provider: Decodable {
      var name: String?
      var shortName: String?
    }
    struct Info: Decodable {
      var provider: Provider?
    }
    var protocols: Protocols
    var info: Info?
  }
}
