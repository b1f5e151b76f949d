import Ledger
import MailCore
import Remote

/// New messages where mailboxes are labels: what Gmail says that it took.
struct LabelArrivals: PushPart {
  let desk: PushDesk
  private var arrivals: Arrivals { Arrivals(desk: desk) }

  /// Gmail says OK, and a UID, also to what it then throws away or files elsewhere. A message has arrived when its
  /// mailbox shows it: until then the step stays, with that UID, and so does the file.
  ///
  /// - Returns: steps whose message is not to be seen at that UID.
  func arrive(_ steps: [PushStep], in mailbox: Int64) throws -> [PushStep] {
    let facts = try shown(steps, in: mailbox)
    var unseen: [PushStep] = []
    for step in steps {
      guard let fact = facts[step.copyUID] else {
        unseen.append(step)
        continue
      }
      // A pull met it in the meantime, and what it made of it stands.
      if try arrivals.isFree(step.copyUID, in: mailbox) {
        try arrivals.arrived(step, at: step.copyUID, identity: fact.identity)
        if !journal.wasBegunHere(step) { files.setDate(ofFileOf: step) }
      } else {
        try journal.drop([step])
      }
    }
    return unseen
  }

  /// What the mailbox shows at the UIDs that were told, at a second look as well.
  func shown(_ steps: [PushStep], in mailbox: Int64) throws -> [UID: GmailFacts] {
    guard try !steps.isEmpty && mailboxes.open(mailbox, asPlace: true) else { return [:] }
    let told = steps.filter { $0.uidValidity == remote.facts.uidValidity?.rawValue }
    let uids = UIDSet(told.map(\.copyUID).filter { $0.rawValue != 0 }.sorted())
    var facts = try remote.gmailFacts(of: uids)
    if facts.count < uids.count {
      remote.forgetSelection()
      guard try mailboxes.open(mailbox, asPlace: true) else { return facts }
      facts = try remote.gmailFacts(of: uids)
    }
    return facts
  }

  /// Of a message in the open mailbox.
  func identity(of uid: UID) throws -> String? {
    try remote.gmailFacts(of: UIDSet([uid]))[uid]?.identity
  }

  /// An APPEND of what Gmail has already is answered with OK, and thrown away: the message in All Mail gets the mailbox's
  /// label instead. It must be the very same, and Trash and Spam would take it out of its other mailboxes.
  ///
  /// - Returns: those that are still not to be seen; their mailbox is open.
  func labelKnown(_ steps: [PushStep], in mailbox: Int64) throws -> [PushStep] {
    let labels = known.gmailLabels
    guard !steps.isEmpty, let all = labels.all, !labels.isExclusive(mailbox),
      !labels.use(mailbox, .all), let goal = known.records[mailbox]
    else { return steps }
    remote.forgetSelection()
    var labelled: [PushStep] = []
    if try remote.run([.select(all.rawName, readOnly: true)]).isOK(0) {
      for step in steps {
        guard let place = try placeInAllMail(step, for: mailbox) else { continue }
        let answer = try remote.run([.uidCopy(UIDSet([place]), to: goal.rawName)])
        for copy in answer.copied[0] ?? [] where known.accepts(copy.validity, of: mailbox) {
          if let pair = copy.pairs()?.first { labelled.append(step.taken(at: pair.destination)) }
        }
      }
    }
    guard try mailboxes.open(mailbox, asPlace: true) else { return [] }
    try journal.put(labelled)
    let numbers = Set(labelled.map(\.number))
    return try steps.filter { !numbers.contains($0.number) } + arrive(labelled, in: mailbox)
  }

  private func placeInAllMail(_ step: PushStep, for mailbox: Int64) throws -> UID? {
    guard let name = try files.messageID(of: step) else { return nil }
    let found = try remote.run([.uidSearch(.header("Message-ID", name))]).found[0] ?? UIDSet()
    guard found.count < 10 else { return nil }
    let hashes = try remote.hashes(of: found, whole: true, labelName: labelName)
    return hashes.filter { $0.value == step.record.contentHash }.keys.min()
  }
}
