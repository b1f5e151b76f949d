import Settings

/// Who files the copy of what was sent.
package enum SentCopyRule: Sendable, Equatable {
  case provider, us

  /// `auto` goes by the submission server: Gmail and Outlook file what passes through theirs, whatever
  /// the mailbox is.
  package init(_ server: ServerSettings) {
    switch server.sentCopy {
    case .server: self = .provider
    case .append: self = .us
    case .auto:
      let host = server.host.lowercased()
      let filing = ["smtp.gmail.com", "smtp.googlemail.com", "smtp-mail.outlook.com"]
      self = filing.contains(host) || host.hasSuffix(".office365.com") ? .provider : .us
    }
  }
}
