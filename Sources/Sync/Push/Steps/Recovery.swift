import Ledger
import SyncPlan

/// What an interrupted push left under way: looked for on the server before anything is done again (promise 2).
final class Recovery: PushPart {
  let desk: PushDesk
  private let dialect: Dialect
  private let search: UploadSearch
  private let copied: CopiedSources
  private let moves: TransferRecovery
  /// Why targets could not be looked into, so that nobody knows what became of their steps.
  private(set) var undecided: [MailboxKey: RunProblem] = [:]
  /// Targets that were looked into, and showed what they have.
  private(set) var decided: Set<MailboxKey> = []

  init(desk: PushDesk, dialect: Dialect, search: UploadSearch, copied: CopiedSources) {
    self.desk = desk
    self.dialect = dialect
    self.search = search
    self.copied = copied
    moves = TransferRecovery(desk: desk, identities: dialect.labels?.finder)
  }

  func run() throws {
    let steps = try journal.steps { !$0.isCopied }
    for (mailbox, group) in steps.grouped(by: \.target) {
      try context.checkInterrupt()
      guard let target = known.records[mailbox], !target.isGone else {
        try journal.drop(group)
        continue
      }
      let (uploads, transfers) = (
        group.filter(\.isUpload), group.filter { !$0.isUpload }
      )
      undecided[mailbox] = try mailboxes.troubled(mailbox) {
        try recover(uploads, appendsIn: mailbox)
        try moves.recover(transfers, to: mailbox)
      }
      guard undecided[mailbox] == nil else { continue }
      decided.insert(mailbox)
      if try state.undecidedPulls(of: mailbox) > 0 {
        try state.transaction { try $0.setUndecidedPulls(0, of: mailbox) }
      }
    }
    if !mailboxes.onlyLooks { try copied.finish() }
  }

  // MARK: Uploads

  private func recover(_ steps: [PushStep], appendsIn mailbox: MailboxKey) throws {
    guard !steps.isEmpty else { return }
    // A pull may have met the message meanwhile, and matched it with its file.
    let owners = try files.owners(of: steps, in: mailbox)
    let open = steps.filter { !owners.has($0) || $0.source != nil }
    try journal.drop(steps.without(open))
    var unseen: [PushStep] = []
    for step in open {
      if let pulled = try pulled(step, in: mailbox) {
        if try search.takeOver(pulled, for: step, in: mailbox) {
          try Arrivals(desk: desk).arrived(step, at: pulled.uid)
        } else {
          // The file that was sent is gone, or is another by now: what the pull made of the message is all there is.
          try journal.drop([step])
        }
      } else {
        unseen.append(step)
      }
    }
    guard try !unseen.isEmpty && mailboxes.opens(mailbox) else { return }
    if let arrivals = dialect.labels?.arrivals {
      let told = unseen.filter { $0.place != nil }
      unseen.removeAll { $0.place != nil }
      unseen += try arrivals.arrive(told, in: mailbox)
    }
    try search.lookFor(unseen, in: mailbox)
  }

  /// A draft whose answer was lost, and that a pull then took for somebody else's: the file it made of it is one too many.
  private func pulled(_ step: PushStep, in mailbox: MailboxKey) throws -> MessageRecord? {
    let hash = step.record.contentHash
    guard let draft = step.source, hash != .unknown,
      known.records[mailbox]?.uidValidity == step.uidValidity
    else { return nil }
    let uids = try state.contents(in: mailbox, among: [hash])[hash] ?? []
    for uid in uids where uid != draft.uid && uid.rawValue >= step.uidNext {
      if let record = try state.message(in: mailbox, uid), record.name != step.record.name {
        return record
      }
    }
    return nil
  }
}
