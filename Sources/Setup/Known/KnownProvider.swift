import Settings

/// One provider's servers and ways: facts, each with the page that tells them.
package struct KnownProvider: Sendable, Equatable {
  /// What the servers want as the user's name.
  package enum UserForm: String, Sendable {
    case address, localPart
  }

  /// What to log in with.
  package enum LogIn: Sendable, Equatable {
    /// The password of the account itself.
    case password
    /// A password made for this program; the page where it is made.
    case appPassword(String)
    /// OAuth2 alone: passwords are refused.
    case oauth(OAuthSettings.Provider)
    /// OAuth2, or a password made for this program.
    case oauthOrAppPassword(OAuthSettings.Provider, String)
    /// The password that the provider's own bridge shows.
    case bridge
  }

  package var name: String
  package var domains: [String]
  /// Below which each customer has a domain.
  package var parents: [String] = []
  /// Endings of the names of its MX hosts.
  package var mx: [String] = []
  package var imap: Server
  package var smtp: Server
  package var user = UserForm.address
  package var logIn = LogIn.password
  /// What has to be done first, where IMAP is off at the beginning.
  package var hint: String?
  /// What its server for incoming mail wants as the user's name, where the outgoing one wants another.
  package var userNote: String?
  /// Where the provider says all that, or who looked.
  package var source: String
  /// The month in which all that was last known to hold.
  package var asOf = "November 2026"

  package struct Server: Sendable, Equatable {
    package var host: String
    package var port: UInt16
    package var tls: TLSMode

    static func implicit(_ host: String, _ port: UInt16) -> Server {
      Server(host: host, port: port, tls: .implicit)
    }
    static func starttls(_ host: String, _ port: UInt16) -> Server {
      Server(host: host, port: port, tls: .starttls)
    }
  }

  package func service(for address: EmailAddress, origin: Origin) -> MailService {
    let user = self.user == .address ? address.description : address.local
    func offer(_ server: Server) -> ServerOffer {
      ServerOffer(host: server.host, port: server.port, tls: server.tls, user: user)
    }
    return MailService(origin: origin, imap: offer(imap), smtp: offer(smtp), provider: name)
  }

  package var oauth: OAuthSettings.Provider? {
    switch logIn {
    case .oauth(let provider), .oauthOrAppPassword(let provider, _): provider
    case .password, .appPassword, .bridge: nil
    }
  }

  /// A password is taken, of whatever kind.
  package var takesPassword: Bool {
    if case .oauth = logIn { false } else { true }
  }

  /// What to look at where its server refused the log-in; nil where nothing more is known than that it did.
  package func refusalHint(user: String) -> String? {
    var hints: [String] = []
    if case .oauth = logIn {
      hints.append(
        "\(name) takes no passwords, only OAuth2: `mirror auth login ACCOUNT` logs in so.")
    }
    if let passwordHint { hints.append(passwordHint + (passwordHint.hasSuffix(".") ? "" : ".")) }
    if let hint { hints.append(hint) }
    if let userNote {
      hints.append(userNote)
    } else if self.user == .localPart, user.contains("@") {
      hints.append("It wants the user's name without its domain.")
    } else if self.user == .address, !user.contains("@") {
      hints.append("It wants the whole address as the user's name.")
    }
    return hints.isEmpty ? nil : hints.joined(separator: " ") + " (As of \(asOf).)"
  }

  /// Said before the password is asked for.
  package var passwordHint: String? {
    switch logIn {
    case .password, .oauth: nil
    case .appPassword(let page), .oauthOrAppPassword(_, let page):
      "\(name) wants a password made for this program (an “app password”), not that of your "
        + "account. Make one at \(page)"
    case .bridge:
      "Proton's Bridge must run on this machine. The password is the one that Bridge shows, not that "
        + "of your account."
    }
  }
}
