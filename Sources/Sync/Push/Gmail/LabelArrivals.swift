import Ledger
import MailCore
import Remote
import SyncPlan

/// New messages where mailboxes are labels: what Gmail says that it took.
struct LabelArrivals: PushPart {
  let desk: PushDesk
  private var arrivals: Arrivals { Arrivals(desk: desk) }

  /// Gmail says OK, and a UID, also to what it then throws away or files elsewhere. A message has arrived when its
  /// mailbox shows it: until then the step stays, with that UID, and so does the file.
  ///
  /// - Returns: steps whose message is not to be seen at that UID.
  func arrive(_ steps: [PushStep], in mailbox: MailboxKey) throws -> [PushStep] {
    let facts = try shown(steps, in: mailbox)
    var unseen: [PushStep] = []
    for step in steps {
      guard let place = step.place, let fact = facts[place] else {
        unseen.append(step)
        continue
      }
      // A pull met it in the meantime, and what it made of it stands.
      if try arrivals.isFree(place, in: mailbox) {
        var step = step
        // What Gmail had before has flags of its own: those of the file are still to be pushed.
        step.record.agreed.flags.formIntersection(fact.flags)
        try arrivals.arrived(step, at: place, identity: fact.identity)
        if !journal.wasBegunHere(step) { files.setDate(ofFileOf: step) }
      } else {
        try journal.drop([step])
      }
    }
    return unseen
  }

  /// What the mailbox shows at the UIDs that were told, at a second look as well.
  func shown(_ steps: [PushStep], in mailbox: MailboxKey) throws -> [UID: GmailFacts] {
    guard !steps.isEmpty else { return [:] }
    let look = try mailboxes.with(mailbox, asPlace: true) { open in
      let told = steps.filter { $0.uidValidity == open.facts.uidValidity?.rawValue }
      let uids = UIDSet(told.compactMap(\.place).sorted())
      return (uids, try open.gmailFacts(of: uids))
    }
    guard let (uids, facts) = look, facts.count < uids.count else { return look?.1 ?? [:] }
    return try mailboxes.with(mailbox, asPlace: true, isFresh: true) {
      try $0.gmailFacts(of: uids)
    } ?? facts
  }

  func identity(of uid: UID, _ open: borrowing OpenMailbox) throws -> String? {
    try open.gmailFacts(of: UIDSet([uid]))[uid]?.identity
  }

  /// An APPEND of what Gmail has already is answered with OK, and thrown away: the message in All Mail gets the mailbox's
  /// label instead, and in All Mail it is itself what arrived. It must be the very same, and Trash and Spam would take it
  /// out of its other mailboxes.
  ///
  /// - Returns: those that are still not to be seen.
  func labelKnown(_ steps: [PushStep], in mailbox: MailboxKey) throws -> [PushStep] {
    let labels = known.gmailLabels
    guard !steps.isEmpty, let all = labels.all, !labels.isExclusive(mailbox),
      let goal = known.records[mailbox]
    else { return steps }
    let isAllMail = labels.use(mailbox, .all)
    var labelled: [PushStep] = []
    _ = try mailboxes.examine(MailboxTarget(all)) { open in
      for step in steps {
        guard let place = try self.place(of: step, inAllMail: open) else { continue }
        if isAllMail {
          labelled.append(step.taken(at: place))
          continue
        }
        let answer = try open.run([.uidCopy(UIDSet([place]), to: goal.rawName)])
        let places = answer.places(0) { known.accepts($0, of: mailbox) }
        if let copy = places.first { labelled.append(step.taken(at: copy.destination)) }
      }
    }
    guard try mailboxes.opens(mailbox, asPlace: true) else { return [] }
    try journal.put(labelled)
    return try steps.without(labelled) + arrive(labelled, in: mailbox)
  }

  /// All Mail has all that the account has: of what lies in its folder only to be archived, nothing is sent that is there.
  ///
  /// - Returns: the others.
  func withoutKnown(_ uploads: [PushPlan.PlannedUpload], in mailbox: MailboxKey) throws
    -> [PushPlan.PlannedUpload]
  {
    guard let goal = known.records[mailbox], goal.keepsNothing, !uploads.isEmpty else {
      return uploads
    }
    var number = try journal.nextNumber()
    var placed: [Int: PushStep] = [:]
    _ = try mailboxes.with(mailbox) { open in
      for (index, upload) in uploads.enumerated() {
        let step = PushStep(
          number: number, stage: .append, target: mailbox,
          record: MessageRecord(upload.file, agreed: MessageMarks()),
          uidValidity: goal.uidValidity, uidNext: known.uidNext(of: goal))
        number += 1
        guard let place = try self.place(of: step, inAllMail: open) else { continue }
        placed[index] = step.taken(at: place)
      }
    }
    let unseen = Set(try arrive(Array(placed.values), in: mailbox).map(\.number))
    let arrived = placed.filter { !unseen.contains($0.value.number) }
    return uploads.enumerated().filter { arrived[$0.offset] == nil }.map(\.element)
  }

  private func place(of step: PushStep, inAllMail open: borrowing OpenMailbox) throws -> UID? {
    guard let name = try files.messageID(of: step) else { return nil }
    let found = try open.uids(withMessageID: name)
    guard found.count < 10 else { return nil }
    return try open.contents(of: found).filter { $0.value.holds(step.record) }.keys
      .min()
  }
}
