import IMAPClient
import IMAPWire
import Ledger
import MailCore
import Maildir
import Remote
import State
import SyncPlan

extension PushExecutor {
  // MARK: What the server says that it took

  /// Gmail says OK, and a UID, also to what it then throws away or files elsewhere. A message has arrived when its
  /// mailbox shows it: until then the step stays, with that UID, and so does the file.
  ///
  /// - Returns: steps whose message is not to be seen at that UID.
  func arriveOnGmail(_ steps: [PushStep], in mailbox: Int64) throws -> [PushStep] {
    let facts = try shownOnGmail(steps, in: mailbox)
    var unseen: [PushStep] = []
    for step in steps {
      guard let fact = facts[step.copyUID] else {
        unseen.append(step)
        continue
      }
      // A pull met it in the meantime, and what it made of it stands.
      let isFree = try state.message(in: mailbox, step.copyUID).map {
        $0.isPruned && !$0.traits.contains(.leaving)
      }
      if isFree ?? true {
        try arrived(step, at: step.copyUID, identity: fact.identity)
        if !begunHere.contains(step.number) { setDate(ofFileOf: step) }
      } else {
        try drop([step])
      }
    }
    return unseen
  }

  /// What the mailbox shows at the UIDs that were told, at a second look as well.
  func shownOnGmail(_ steps: [PushStep], in mailbox: Int64) throws -> [UID: GmailFacts] {
    guard try !steps.isEmpty && open(mailbox, asPlace: true) else { return [:] }
    let told = steps.filter { $0.uidValidity == remote.facts.uidValidity?.rawValue }
    let uids = UIDSet(told.map(\.copyUID).filter { $0.rawValue != 0 }.sorted())
    var facts = try remote.gmailFacts(of: uids)
    if facts.count < uids.count {
      remote.forgetSelection()
      guard try open(mailbox, asPlace: true) else { return facts }
      facts = try remote.gmailFacts(of: uids)
    }
    return facts
  }

  /// Of a message in the open mailbox; nil on other servers.
  func identityOnGmail(_ uid: UID) throws -> String? {
    guard remote.isGmail else { return nil }
    return try remote.gmailFacts(of: UIDSet([uid]))[uid]?.identity
  }

  /// An APPEND of what Gmail has already is answered with OK, and thrown away: the message in All Mail gets the mailbox's
  /// label instead. It must be the very same, and Trash and Spam would take it out of its other mailboxes.
  ///
  /// - Returns: those that are still not to be seen; their mailbox is open.
  func labelKnownOnGmail(_ steps: [PushStep], in mailbox: Int64) throws -> [PushStep] {
    let labels = gmailLabels
    guard !steps.isEmpty, let all = labels.all, !labels.isExclusive(mailbox),
      !labels.use(mailbox, .all), let goal = records[mailbox]
    else { return steps }
    remote.forgetSelection()
    var labelled: [PushStep] = []
    if try remote.run([.select(all.rawName, readOnly: true)]).isOK(0) {
      for step in steps {
        guard let place = try placeInAllMail(step, for: mailbox) else { continue }
        let answer = try remote.run([.uidCopy(UIDSet([place]), to: goal.rawName)])
        for copy in answer.copied[0] ?? [] where accepts(copy.validity, of: mailbox) {
          if let pair = copy.pairs()?.first { labelled.append(step.taken(at: pair.destination)) }
        }
      }
    }
    guard try open(mailbox, asPlace: true) else { return [] }
    try put(labelled)
    let numbers = Set(labelled.map(\.number))
    return try steps.filter { !numbers.contains($0.number) } + arriveOnGmail(labelled, in: mailbox)
  }

  private func placeInAllMail(_ step: PushStep, for mailbox: Int64) throws -> UID? {
    guard let name = try messageID(of: step, in: mailbox) else { return nil }
    let found = try remote.run([.uidSearch(.header("Message-ID", name))]).found[0] ?? UIDSet()
    guard found.count < 10 else { return nil }
    let hashes = try remote.hashes(of: found, whole: true, labelName: policy.keywords.line?.name)
    return hashes.filter { $0.value == step.record.contentHash }.keys.min()
  }

  // MARK: Labels

  /// APPEND cannot carry labels: they follow.
  func labelOnGmail(_ uploads: [PushPlan.PlannedUpload], in mailbox: Int64) throws {
    let labelled = uploads.filter { !$0.file.marks.keywords.isEmpty }
    guard !labelled.isEmpty else { return }
    let sent = Dictionary(labelled.map { ($0.file.file.baseHash, $0) }) { first, _ in first }
    var placed: [UID: PushPlan.PlannedUpload] = [:]
    try state.forEachName(in: mailbox) { uid, name in
      if let uid, let upload = sent[XXH3.hash(name)] { placed[uid] = upload }
    }
    var changes: [ChangedMarks] = []
    for (uid, upload) in placed.sorted(by: { $0.key < $1.key }) {
      guard let record = try state.message(in: mailbox, uid),
        !upload.file.marks.keywords.subtracting(record.agreed.keywords).isEmpty
      else { continue }
      changes.append(
        ChangedMarks(
          mailbox: mailbox, record: record, local: upload.file.marks, size: upload.file.size))
    }
    try push(marks: changes, in: mailbox, areNew: true)
  }
}
