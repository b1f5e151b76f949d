import MailTestKit

/// The second IMAP client: everything that it does is done when the function returns.
extension PushWorld {
  var client: IMAPTestClient { scenario.client }

  func actThere(_ event: PushEvent) throws -> Bool {
    switch event {
    case .deliver(let token, let mailbox, let marks):
      let number = Int64(token.dropFirst()) ?? 0
      try scenario.append(
        [token], to: mailbox, flags: marks, date: 1_600_000_000 + number, isPassedOn: true)
    case .store(let token, let mark, let sets):
      guard let (mailbox, uid) = try find(token) else { return false }
      try client.store([uid], sets ? "+FLAGS" : "-FLAGS", [mark], in: mailbox)
    case .expunge(let token):
      guard let (mailbox, uid) = try find(token) else { return false }
      try client.expunge([uid], in: mailbox)
    case .moveThere(let token, let target):
      guard let (mailbox, uid) = try find(token) else { return false }
      try client.move([uid], from: mailbox, to: target)
    case .copyThere(let token, let target):
      guard let (mailbox, uid) = try find(token) else { return false }
      try client.copy([uid], from: mailbox, to: target)
    case .makeMailbox(let name): try client.create(name)
    case .remake, .pass, .makeTwin, .reorder: return try changeMailboxes(event)
    case .renumber(let name): try renumber(name)
    case .draft(let token, let version): try append(token, version)
    case .replaceDraft(let token, let version):
      guard let uid = try findDraft(token) else { return false }
      try append(token, version)
      try client.expunge([uid], in: model.drafts[token]?.place ?? model.draftBox)
    case .expungeDraft(let token):
      guard let uid = try findDraft(token) else { return false }
      try client.expunge([uid], in: model.drafts[token]?.place ?? model.draftBox)
    default: return false
    }
    return true
  }

  /// Where the server has it now: a reader's moves may not have reached it yet.
  private func find(_ token: String) throws -> (String, UInt32)? {
    let message = model.messages[token]
    let likely = [message?.placeThere, message?.place, message?.origin].compactMap { $0 }
    for mailbox in try likely + client.mailboxes() {
      if let uid = try? client.uid(of: token, in: mailbox) { return (mailbox, uid) }
    }
    return nil
  }

  private func append(_ token: String, _ version: Int) throws {
    try client.append(
      SampleMessage(
        token: token, body: Self.text(version), date: 1_600_000_000 + Int64(version),
        flags: ["\\Draft"]), to: model.drafts[token]?.place ?? model.draftBox)
  }

  private func findDraft(_ token: String) throws -> UInt32? {
    guard let draft = model.drafts[token], let version = draft.remote else { return nil }
    return try client.messages(in: draft.place).first {
      Self.holds($0.bytes, token, version)
    }?.uid
  }

  static func holds(_ bytes: [UInt8], _ token: String, _ version: Int) -> Bool {
    contains(bytes, Array("<\(token)@".utf8)) && contains(bytes, Array(text(version).utf8))
  }

  private func renumber(_ name: String) throws {
    if let account { return account.change(name) { $0.renumber() } }
    // Dovecot hangs up on those who have it open.
    try client.select(name == "INBOX" ? "Archive" : "INBOX")
    let validity = try client.status(name)["UIDVALIDITY"] ?? 1
    try runSuccessfully([
      "doveadm", "-c", server.dovecot().directory + "/dovecot.conf", "mailbox", "update", "-u",
      scenario.user, "--uid-validity", "\(validity + 1)", name,
    ])
  }

  // MARK: Both sides at rest

  /// Every message exactly once where it was last put, with the marks of both sides merged; tree and server the same;
  /// and nothing left to do.
  func check() throws -> [String] { try compare() + checkPush() }

  func compare() throws -> [String] {
    let tree = try mirror.tree()
    var problems = followTwins(in: tree)
    let server = try client.mailboxes().map { ($0, try client.messages(in: $0)) }
    for token in model.tokens { problems += check(token, tree, server) }
    for token in model.draftTokens {
      guard let place = model.drafts[token]?.place else { continue }
      let draftsThere = server.first { $0.0 == place }?.1 ?? []
      for version in model.versions(of: token) {
        let there = draftsThere.count { Self.holds($0.bytes, token, version) }
        let here = tree[folder(of: place)].count { Self.holds($0.raw, token, version) }
        if there != 1 || here != 1 {
          problems.append("version \(version) of \(token): \(there) there, \(here) here")
        }
      }
    }
    let all = server.reduce(0) { $0 + $1.1.count }
    if all != model.count { problems.append("\(all) messages on the server, not \(model.count)") }
    if tree.messages.count != model.count - model.heldCount {
      problems.append("\(tree.messages.count) files, not \(model.count - model.heldCount)")
    }
    let differences = try oracle.differences(withoutEdited(tree), expectedHere(client.state()))
    // A file's time is set last: a run that was cut off, or met a reader at work, may have left one as it was.
    problems += differences.filter { !(mayHaveLeftTimes && $0.contains(": date ")) }
    return problems
  }

  func checkPush() throws -> [String] {
    var problems: [String] = []
    scenario.proxy.forget()
    let outcome = try mirror.run(["push"])
    if outcome.status != 0, !mayWait(outcome, before: 0) {
      problems.append("push at rest: \(outcome.summary)")
    }
    problems += scenario.proxy.changingCommands.map { "a push at rest sent \($0)" }
    return problems
  }

  private func check(
    _ token: String, _ tree: MaildirTree, _ server: [(String, [ServerMessage])]
  ) -> [String] {
    var problems: [String] = []
    let identity = Array("<\(token)@".utf8)
    let there = server.flatMap { name, all in
      all.filter { contains($0.bytes, identity) }.map { (name, $0) }
    }
    let here = tree.messages.filter { contains($0.raw, identity) }
    let wanted = model.places(of: token)
    if there.map(\.0).sorted() != wanted {
      problems.append("\(token) on the server in \(there.map(\.0)), not \(wanted)")
    }
    let wantedHere = model.messages[token]?.isHeld == true ? [] : wanted.map { folder(of: $0) }
    if here.map(\.folder).sorted() != wantedHere.sorted() {
      problems.append("\(token) here in \(here.map(\.path)), not \(wantedHere)")
    }
    // What was copied is compared with its file alone.
    guard let message = model.messages[token], !message.isCopied, let one = there.first?.1 else {
      return problems
    }
    let flags = Set(one.flags.map { $0.lowercased() }).subtracting(["\\recent"])
    if flags != message.agreed {
      problems.append("\(token): server \(flags.sorted()), not \(message.agreed.sorted())")
    }
    return problems
  }
}

extension PushWorld {
  fileprivate var mayHaveLeftTimes: Bool {
    story.events.contains { event in
      if case .cut = event { return true }
      return event == .start
    } || story.themes.contains(.watched)
  }
}
