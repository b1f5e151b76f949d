import MailCore
import Settings

/// An account on its way into the configuration.
package struct AccountDraft: Sendable, Equatable {
  /// Where the password comes from; never the password itself.
  package enum Credential: Sendable, Equatable {
    /// A program and its arguments; or a text for the shell.
    case command([String])
    case shell(String)
    case file(String)
    case oauth(OAuthSettings)
  }

  package var account: String
  package var email: String
  package var realName: String?
  package var imap: ServerOffer
  package var smtp: ServerOffer?
  package var caFile: String?
  package var credential: Credential?
  /// Of accounts that use OAuth2.
  package var auth = AuthenticationChoice.xoauth2
  /// nil for all.
  package var folders: [String]?
  /// nil for everything.
  package var window: String?

  /// To be shown: a client secret is typed without an echo, too.
  package var withoutSecret: AccountDraft {
    guard case .oauth(var settings) = credential, settings.clientSecret != nil else { return self }
    var draft = self
    settings.clientSecret = Secret("…")
    draft.credential = .oauth(settings)
    return draft
  }

  package var oauth: OAuthSettings.Provider? {
    if case .oauth(let settings) = credential { settings.provider } else { nil }
  }

  /// How servers take its tokens, where none has shown it yet. Yahoo documents this way alone
  /// (https://senders.yahooinc.com/developer/documentation/).
  var usualAuth: AuthenticationChoice { oauth == .yahoo ? .oauthbearer : .xoauth2 }

  /// Whether its tokens come from the same server as those of `other`, for the same program.
  func isClient(of other: OAuthSettings?) -> Bool {
    guard case .oauth(let settings) = credential, let other else { return false }
    return settings.isSameClient(as: other)
  }
}

/// What may be an account's name here: a subset of what the configuration takes.
package enum AccountNames {
  /// What is wrong with it, as a sentence; nil if nothing is.
  package static func fault(_ name: String) -> String? {
    guard let first = name.unicodeScalars.first else { return "A name is needed." }
    guard name.utf8.count <= 64 else { return "That is longer than 64 bytes." }
    guard first.properties.isAlphabetic || first.properties.numericType != nil else {
      return "A name begins with a letter or a digit: it will be a directory."
    }
    let isClean = name.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || $0.properties.numericType != nil
        || "-_.@+".unicodeScalars.contains($0)
    }
    guard isClean else { return "Letters, digits and - _ . @ + only: it will be a directory." }
    guard !["cur", "new", "tmp"].contains(name.lowercased()) else {
      return "That is the name of a Maildir's own directory."
    }
    return nil
  }

  /// A free name: `personal` for the first account, else the first label of the domain, with a number if need be.
  package static func proposal(for address: EmailAddress, taken: [String]) -> String {
    if taken.isEmpty { return "personal" }
    let used = Set(taken.map { $0.lowercased() })
    let label = address.domain.split(separator: ".").first.map(String.init) ?? "mail"
    let base = fault(label) == nil ? label : "mail"
    guard used.contains(base) else { return base }
    return (2...).lazy.map { "\(base)\($0)" }.first { !used.contains($0) } ?? base
  }
}
