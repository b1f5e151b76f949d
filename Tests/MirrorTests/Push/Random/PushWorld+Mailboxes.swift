import MailTestKit

/// Mailboxes that change their names and uses, and those that look like others.
extension PushWorld {
  func changeMailboxes(_ event: PushEvent) throws -> Bool {
    switch event {
    case .remake(let old, let new): try remake(old, as: new)
    case .pass(let mark, let target):
      guard let account else { return false }
      account.change { boxes in
        for index in boxes.indices { boxes[index].attributes.removeAll { $0 == mark } }
        for index in boxes.indices where boxes[index].name == target {
          boxes[index].attributes.append(mark)
        }
      }
    case .makeTwin(let name, let anchor):
      try create(name)
      try scenario.append([anchor], to: name, date: 1_600_000_000 + Int64(newNumber()))
    case .reorder(let seed):
      guard let account else { return false }
      var random = SeededGenerator(seed: seed)
      account.change { $0.shuffle(using: &random) }
    default: return false
    }
    return true
  }

  /// The mark stays with the name, as Dovecot has it.
  private func remake(_ old: String, as new: String) throws {
    guard let account else {
      // A mailbox cannot be renamed while a client has it open.
      try client.select("INBOX")
      try client.rename(old, to: new)
      if try !client.mailboxes().contains(old) { try client.create(old) }
      return
    }
    let attributes = account[old]?.attributes ?? []
    account.change(old) { ($0.name, $0.attributes) = (new, []) }
    add(old, attributes, to: account)
  }

  private func create(_ name: String) throws {
    if let account { add(name, [], to: account) } else { try client.create(name) }
  }

  /// Under a UIDVALIDITY that no mailbox had before.
  private func add(_ name: String, _ attributes: [String], to account: MailAccount) {
    let highest = account.mailboxes.map(\.uidValidity).max() ?? 0
    account.add(name, attributes: attributes, uidValidity: max(highest, 1_700_000_000) + 1)
  }

  // MARK: Folders

  /// Where the mailbox's messages lie.
  func folder(of mailbox: String) -> String { twinFolders[mailbox] ?? mailbox }

  /// Each mailbox with a name like another's has a folder of its own, which stays its own.
  func followTwins(in tree: MaildirTree) -> [String] {
    var problems: [String] = []
    for (mailbox, anchor) in model.anchors {
      let found = tree.messages.filter { contains($0.raw, Array("<\(anchor)@".utf8)) }
      guard found.count == 1, let folder = found.first?.folder else {
        problems.append("\(anchor) of \(mailbox) is at \(found.map(\.path))")
        continue
      }
      if let known = twinFolders[mailbox], known != folder {
        problems.append("\(mailbox) was in \(known), and is in \(folder)")
      }
      twinFolders[mailbox] = folder
    }
    return problems
  }

  var oracle: MaildirOracle {
    var oracle = scenario.oracle
    let folders = twinFolders
    oracle.folder = { folders[$0] ?? $0 }
    return oracle
  }

  /// What the tree ought to show of the server's state: not what waits in a held deletion, nor what was edited.
  func expectedHere(_ state: AccountState) -> AccountState {
    let hidden = model.tokens.filter { model.messages[$0]?.isHeld == true || isEdited($0) }
      .map { Array("<\($0)@".utf8) }
    guard !hidden.isEmpty else { return state }
    return state.mapValues { messages in
      messages.filter { message in !hidden.contains { contains(message.bytes, $0) } }
    }
  }

  /// The server keeps what it has of a message that was edited here.
  func withoutEdited(_ tree: MaildirTree) -> MaildirTree {
    let hidden = model.tokens.filter { isEdited($0) }.map { Array("<\($0)@".utf8) }
    var tree = tree
    tree.messages.removeAll { file in hidden.contains { contains(file.raw, $0) } }
    return tree
  }

  private func isEdited(_ token: String) -> Bool { model.messages[token]?.isEdited == true }
}
