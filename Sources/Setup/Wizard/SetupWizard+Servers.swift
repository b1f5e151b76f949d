import Settings

extension SetupWizard {
  /// The next step towards the two servers; nil once they are settled.
  mutating func servers(_ address: EmailAddress, _ says: [String]) -> SetupStep? {
    if let typed = given.imap, typedIMAP == nil, !retypes { typedIMAP = typed }
    if given.noSMTP { hasSMTP = true }
    if typedIMAP == nil, !isByHand {
      guard let findings else { return SetupStep(says: says, action: .discover(address)) }
      if findings.imap != nil, imap == nil { return ask(useFoundQuestion(findings), says) }
      isByHand = true
    }
    if imap == nil {
      guard let typed = typedIMAP else { return ask(imapHostQuestion, says) }
      guard
        let tls = typedTLS ?? (retypes ? nil : given.imapTLS)
          ?? ServerAnswer.usualTLS(.imap, port: typed.port)
      else { return ask(tlsQuestion(.imapTLS, typed), says) }
      guard let user = given.user ?? typedUser else { return ask(userQuestion(address), says) }
      imap = ServerOffer(
        host: typed.host, port: typed.port ?? ServerOffer.usualPort(.imap, tls), tls: tls,
        user: user)
      typedTLS = nil
    }
    return hasSMTP ? nil : outgoing(says)
  }

  private mutating func outgoing(_ says: [String]) -> SetupStep? {
    if typedSMTP == nil, let typed = given.smtp, !retypes { typedSMTP = typed }
    guard let typed = typedSMTP else { return ask(smtpHostQuestion, says) }
    guard
      let tls = typedTLS ?? (retypes ? nil : given.smtpTLS)
        ?? ServerAnswer.usualTLS(.smtp, port: typed.port)
    else { return ask(tlsQuestion(.smtpTLS, typed), says) }
    let known = given.smtpUser ?? typedSMTPUser
    guard let user = known ?? (asksSMTPUser ? nil : imap?.user) else {
      return ask(smtpUserQuestion, says)
    }
    smtp = ServerOffer(
      host: typed.host, port: typed.port ?? ServerOffer.usualPort(.smtp, tls), tls: tls,
      user: user)
    smtpOrigin = .told
    typedTLS = nil
    hasSMTP = true
    return nil
  }

  /// Takes what was found, with what the command line said over it.
  mutating func takeFound(_ findings: Findings) {
    guard let found = findings.imap else { return }
    imap = found.offer
    imapOrigin = found.origin
    if let user = given.user { imap?.user = user }
    if let typed = given.smtp {
      typedSMTP = typed
      return
    }
    guard !given.noSMTP, let outgoing = findings.smtp else {
      // Asked for by hand, where nothing is known of it.
      return
    }
    smtp = outgoing.offer
    smtpOrigin = outgoing.origin
    if let user = given.smtpUser ?? given.user { smtp?.user = user }
    hasSMTP = true
  }

  /// Begins with the servers anew, by hand.
  mutating func retypeServers() {
    (imap, smtp, typedIMAP, typedSMTP, typedTLS) = (nil, nil, nil, nil, nil)
    (typedUser, typedSMTPUser) = (nil, nil)
    hasSMTP = given.noSMTP
    (isByHand, retypes) = (true, true)
    (imapOrigin, smtpOrigin) = (.told, .told)
    forgetLogIn()
  }

  /// For both servers, where they had one name.
  mutating func changeUser(to name: String) {
    if smtp?.user == imap?.user { smtp?.user = name }
    imap?.user = name
  }

  /// Begins with the outgoing server anew.
  mutating func retypeOutgoing() {
    (smtp, typedSMTP, typedTLS) = (nil, nil, nil)
    hasSMTP = false
    (isByHand, retypes) = (true, true)
  }

  /// What was found, as lines.
  func describing(_ findings: Findings) -> [String] {
    let domain = address?.domain ?? ""
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
}
