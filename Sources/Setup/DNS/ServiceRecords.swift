import Settings

/// The four questions of RFC 6186 and RFC 8314, and what their answers mean together.
package enum ServiceRecords {
  package enum Name: String, CaseIterable, Sendable {
    case imaps = "_imaps._tcp"
    case imap = "_imap._tcp"
    case submissions = "_submissions._tcp"
    case submission = "_submission._tcp"

    var tls: TLSMode { self == .imaps || self == .submissions ? .implicit : .starttls }
  }

  /// TLS from the first byte goes before STARTTLS; a target of `.` says that there is no such service (RFC 2782).
  package static func service(
    for address: EmailAddress, _ answers: [Name: [DNSMessage.Service]]
  ) -> MailService {
    func offer(_ names: [Name]) -> ServerOffer? {
      for name in names {
        let records = (answers[name] ?? []).filter {
          !$0.target.isEmpty && $0.port > 0 && DomainName.isHost($0.target)
        }
        // The lowest priority, of those the greatest weight: one server is written down, not drawn by lot.
        let best = records.min { ($0.priority, $1.weight) < ($1.priority, $0.weight) }
        if let best {
          return ServerOffer(
            host: best.target, port: best.port, tls: name.tls, user: address.description)
        }
      }
      return nil
    }
    return MailService(
      origin: .srv, imap: offer([.imaps, .imap]), smtp: offer([.submissions, .submission]))
  }
}
