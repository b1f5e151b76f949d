import MailCore
import Settings

/// The two servers, found or typed, until both are decided.
package struct SetupServers: Sendable {
  private let given: SetupGiven

  package private(set) var findings: Findings?
  package private(set) var imap: Findings.Found?
  package private(set) var smtp: Findings.Found?
  /// The outgoing server is decided, be it none.
  private var hasSMTP = false

  private var typed = Typed()
  /// The outgoing server may know the person under another name.
  private var asksSMTPUser = false
  /// The offers were refused, or there are none.
  private var isByHand = false
  /// What the command line said of the servers did not work either.
  private(set) var isRetyped = false

  /// What a person typed, until it makes a server.
  private struct Typed {
    var imap: ServerAnswer?
    var smtp: ServerAnswer?
    var tls: TLSMode?
    var user: String?
    var smtpUser: String?
  }

  init(_ given: SetupGiven) { self.given = given }

  /// The provider that was found, while the servers are those that were found with it.
  var provider: KnownProvider? {
    imap?.offer.host == findings?.imap?.offer.host ? findings?.provider : nil
  }

  // MARK: What is missing

  /// The next step towards the two servers; nil once they are decided.
  mutating func next(_ address: EmailAddress) -> SetupStep.Action? {
    guard imap == nil || !hasSMTP else { return nil }
    if let server = given.imap, typed.imap == nil, !isRetyped { typed.imap = server }
    if given.noSMTP { hasSMTP = true }
    if typed.imap == nil, !isByHand {
      guard let findings else { return .discover(address) }
      if findings.imap != nil, imap == nil {
        return .ask(ServerQuestions.useFound(findings, domain: address.asciiDomain))
      }
      isByHand = true
    }
    if imap == nil {
      guard let server = typed.imap else { return .ask(ServerQuestions.imapHost(findings)) }
      guard let tls = tls(.imap, server, given.imapTLS) else {
        return .ask(ServerQuestions.tls(.imapTLS, server))
      }
      guard let user = given.user ?? typed.user else {
        return .ask(ServerQuestions.user(preset: address.description))
      }
      imap = told(.imap, server, tls, user)
    }
    return hasSMTP ? nil : nextOutgoing()
  }

  private mutating func nextOutgoing() -> SetupStep.Action? {
    if typed.smtp == nil, let server = given.smtp, !isRetyped { typed.smtp = server }
    guard let server = typed.smtp else { return .ask(ServerQuestions.smtpHost) }
    guard let tls = tls(.smtp, server, given.smtpTLS) else {
      return .ask(ServerQuestions.tls(.smtpTLS, server))
    }
    let known = given.smtpUser ?? typed.smtpUser
    guard let user = known ?? (asksSMTPUser ? nil : imap?.offer.user) else {
      return .ask(ServerQuestions.smtpUser(preset: imap?.offer.user))
    }
    smtp = told(.smtp, server, tls, user)
    hasSMTP = true
    return nil
  }

  private func tls(_ kind: ServerOffer.Kind, _ server: ServerAnswer, _ given: TLSMode?) -> TLSMode?
  {
    typed.tls ?? (isRetyped ? nil : given) ?? ServerAnswer.usualTLS(kind, port: server.port)
  }

  private mutating func told(
    _ kind: ServerOffer.Kind, _ server: ServerAnswer, _ tls: TLSMode, _ user: String
  ) -> Findings.Found {
    typed.tls = nil
    let port = server.port ?? ServerOffer.usualPort(kind, tls)
    return Findings.Found(
      offer: ServerOffer(host: server.host, port: port, tls: tls, user: user), origin: .told)
  }

  // MARK: What was found

  /// - Returns: what was found, as lines.
  mutating func found(_ findings: Findings, for address: EmailAddress?) -> [String] {
    self.findings = findings
    let domain = address?.domain ?? ""
    if let obstacle = findings.obstacle { return [obstacle] }
    guard let imap = findings.imap else {
      return findings.notes + [
        "No mail servers were found for \(domain). Your provider's help pages name them, under "
          + "“IMAP” and “SMTP”."
      ]
    }
    let name = findings.providerName.map { "\($0), " } ?? ""
    // Why better sources were not heard, or what is missing.
    let isWhole = imap.origin <= .autoconfig && findings.smtp != nil
    var lines = isWhole ? [] : findings.notes
    lines.append("Found \(name)from \(imap.origin.words(domain: domain)):")
    lines.append("  incoming (IMAP)  \(imap.offer.words)")
    if let smtp = findings.smtp {
      lines.append("  outgoing (SMTP)  \(smtp.offer.words)")
      if smtp.origin != imap.origin {
        lines.append("                   (from \(smtp.origin.words(domain: domain)))")
      }
    }
    if findings.smtp == nil, given.smtp == nil, !given.noSMTP {
      lines.append("No outgoing (SMTP) server was found: without one this account only receives.")
    }
    lines.append("  user             \(given.user ?? imap.offer.user)")
    for offer in findings.unvouched(for: address?.asciiDomain ?? domain) {
      lines.append(
        "Look at \(offer.host) before you go on: it lies outside of \(domain), and nothing but "
          + "unprotected DNS says that it is right. Your password would go there.")
    }
    if let hint = findings.provider?.hint { lines.append(hint) }
    return lines
  }

  /// Uses what was found, with what the command line said over it. An outgoing server that was not found is asked for.
  mutating func useFound() {
    imap = findings?.imap
    if let user = given.user { imap?.offer.user = user }
    if let server = given.smtp {
      typed.smtp = server
    } else if !given.noSMTP, let found = findings?.smtp {
      smtp = found
      if let user = given.smtpUser ?? given.user { smtp?.offer.user = user }
      hasSMTP = true
    }
  }

  // MARK: Answers

  mutating func enter(host answer: String, of kind: ServerOffer.Kind) throws(AnswerFault) {
    if kind == .smtp, answer.lowercased() == "none" { return leaveOutgoingOut() }
    guard let server = ServerAnswer(answer) else { throw .noHost(answer) }
    if kind == .imap { typed.imap = server } else { typed.smtp = server }
    typed.tls = nil
  }

  mutating func enter(tls answer: String, of kind: ServerOffer.Kind) throws(AnswerFault) {
    guard let mode = TLSMode(rawValue: answer.lowercased()) else { throw .noTLSMode }
    let server = kind == .imap ? typed.imap : typed.smtp
    guard mode != .none || server?.isLoopback == true else { throw .unencrypted }
    typed.tls = mode
  }

  /// For both servers, where they had one name.
  mutating func enter(user name: String) throws(AnswerFault) {
    guard !name.isEmpty else { throw .noUser }
    guard let before = imap?.offer.user else {
      typed.user = name
      return
    }
    if smtp?.offer.user == before { smtp?.offer.user = name }
    imap?.offer.user = name
  }

  mutating func enter(smtpUser name: String) { typed.smtpUser = name }

  /// Begins anew with both servers, by hand.
  mutating func retype() {
    (imap, smtp, typed) = (nil, nil, Typed())
    hasSMTP = given.noSMTP
    (isByHand, isRetyped) = (true, true)
  }

  /// Begins anew with the outgoing server.
  mutating func retypeOutgoing() {
    (smtp, typed.smtp, typed.tls, typed.smtpUser) = (nil, nil, nil, nil)
    hasSMTP = false
    (isByHand, isRetyped, asksSMTPUser) = (true, true, true)
  }

  /// The account only receives.
  mutating func leaveOutgoingOut() { (smtp, hasSMTP) = (nil, true) }
}
