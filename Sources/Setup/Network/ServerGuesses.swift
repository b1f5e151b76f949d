import Settings

/// The names and ports that most servers have, the likeliest first.
package enum ServerGuesses {
  package struct Guess: Sendable, Hashable {
    package var kind: ServerOffer.Kind
    package var host: String
    package var tls: TLSMode

    package var port: UInt16 { ServerOffer.usualPort(kind, tls) }
  }

  package static func all(_ kind: ServerOffer.Kind, domain: String) -> [Guess] {
    let names = kind == .imap ? ["imap", "mail"] : ["smtp", "mail"]
    let hosts = names.map { "\($0).\(domain)" } + [domain]
    return [TLSMode.implicit, .starttls].flatMap { tls in
      hosts.map { Guess(kind: kind, host: $0, tls: tls) }
    }
  }
}
