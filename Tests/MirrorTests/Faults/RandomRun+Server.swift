import MailTestKit

/// What happens on the server, through one of the two clients.
extension RandomRun {
  private static let marks =
    ["\\Seen", "\\Flagged", "\\Answered", "\\Draft", "\\Deleted", "$Forwarded"] + keywords

  private func client() -> IMAPTestClient { random.pick(clients) }

  func deliver() throws {
    let token = "t\(counter)"
    counter += 1
    let mailbox = random.pick(mailboxes)
    let side = random.pick(RandomMessage.Side.allCases)
    let flags = Self.marks.filter { _ in random.chance(0.25) }
    try client().append(
      SampleMessage(token: token, date: 1_600_000_000 + Int64(counter), flags: flags), to: mailbox)
    messages.append(RandomMessage(token: token, side: side, mailbox: mailbox, flags: flags))
    story.append("deliver \(token) to \(mailbox) \(flags)")
  }

  func changeServer() throws {
    switch random.below(10) {
    case 0, 1: try deliver()
    case 2, 3, 4, 5: try store()
    case 6: try expunge()
    case 7, 8: try move()
    default: try renameMailbox()
    }
  }

  private func store() throws {
    let candidates = messages.indices.filter { messages[$0].mailbox != nil }
    guard !candidates.isEmpty else { return }
    let index = random.pick(candidates)
    guard let mailbox = messages[index].mailbox else { return }
    let client = client()
    let mark = random.pick(Self.marks)
    let adds = !messages[index].remote.contains(mark.lowercased())
    let uid = try client.uid(of: messages[index].token, in: mailbox)
    try client.store([uid], adds ? "+FLAGS" : "-FLAGS", [mark], in: mailbox)
    if adds {
      messages[index].remote.insert(mark.lowercased())
    } else {
      messages[index].remote.remove(mark.lowercased())
    }
    story.append("store \(messages[index].token) \(adds ? "+" : "-")\(mark)")
  }

  /// A message that may go away, and its mailbox.
  private func pickLeaving() -> (index: Int, mailbox: String)? {
    let candidates = messages.indices.filter {
      messages[$0].mailbox != nil && messages[$0].side != .reader
    }
    guard !candidates.isEmpty else { return nil }
    let index = random.pick(candidates)
    guard let mailbox = messages[index].mailbox, mayLeave(mailbox) else { return nil }
    return (index, mailbox)
  }

  private func expunge() throws {
    guard let (index, mailbox) = pickLeaving() else { return }
    let client = client()
    let uid = try client.uid(of: messages[index].token, in: mailbox)
    try client.expunge([uid], in: mailbox)
    messages[index].mailbox = nil
    story.append("expunge \(messages[index].token)")
  }

  private func move() throws {
    guard let (index, mailbox) = pickLeaving() else { return }
    let client = client()
    let target = random.pick(mailboxes.filter { $0 != mailbox })
    let uid = try client.uid(of: messages[index].token, in: mailbox)
    try client.move([uid], from: mailbox, to: target)
    messages[index].mailbox = target
    messages[index].hasMoved = true
    story.append("move \(messages[index].token) to \(target)")
  }

  /// A renamed mailbox is known again by what it held: something of that has to stay in it.
  private func mayLeave(_ mailbox: String) -> Bool {
    !renames.contains(mailbox) || settled(in: mailbox) > 1
  }

  private func settled(in mailbox: String) -> Int {
    messages.count { $0.agreed != nil && $0.mailbox == mailbox && !$0.hasMoved }
  }

  private func renameMailbox() throws {
    let candidates = mailboxes.filter { !["INBOX", "Archive", "Sent"].contains($0) }
    guard !candidates.isEmpty else { return }
    let old = random.pick(candidates)
    guard settled(in: old) > 0 else { return }
    let new = "box\(counter)"
    counter += 1
    // A mailbox cannot be renamed while a client has it open.
    for client in clients { try client.select("INBOX") }
    try client().rename(old, to: new)
    mailboxes = mailboxes.map { $0 == old ? new : $0 }
    renames.add(old, new)
    for index in messages.indices where messages[index].mailbox == old {
      messages[index].mailbox = new
    }
    story.append("rename \(old) to \(new)")
  }
}
