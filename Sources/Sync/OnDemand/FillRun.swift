import Ledger
import MailCore
import Maildir
import Remote
import State
import SyncPlan

/// Makes stubs whole, or whole messages stubs, as a person asked for it. What was asked for is in the state before a server
/// is: where none can be reached, the next pull does it.
struct FillRun {
  let run: AccountRun
  let options: FillOptions
  let context: AccountContext

  func fill(_ summary: inout FillSummary) throws {
    try FolderRelocations(context).finish()
    let mailboxes = try context.state.mailboxes()
    guard mailboxes.isEmpty || mailboxes.contains(where: { !$0.needsAdoption }) else {
      throw PushError.needsPull
    }
    let chosen = try Self.chosen(options, context.state)
    switch options.direction {
    case .fill:
      try remember(chosen)
      let work = OnDemandWork(run: run, context: context)
      try OnDemandLeftovers(context: context).settle()
      var outcome = OnDemandWork.Outcome()
      defer {
        summary.messages = outcome.messages
        summary.bytes = outcome.bytes
        summary.waiting = (try? context.state.onDemandCounts().wanted) ?? 0
      }
      try work.fillWanted(awaitsMoved: true, &outcome)
      // By now their messages may be whole.
      let leftovers = LeftoverStubs(run: run, context: context)
      let left = try leftovers.find(options)
      try tellUnknown(besides: left.map(\.file.base))
      try leftovers.remove(left)
    case .stub:
      try forget()
      guard let limit = context.onDemand else { throw OnDemandError.isOff }
      try OnDemandLeftovers(context: context).settle()
      var outcome = OnDemandWork.Outcome()
      defer {
        summary.messages = outcome.messages
        summary.bytes = outcome.bytes
      }
      try OnDemandWork(run: run, context: context)
        .makeStubs(chosen, limit: limit, tellsWhatCannotBe: options.names != nil, &outcome)
    }
  }

  /// - Returns: messages of the mailboxes that were named, by their files' names where these were.
  static func chosen(_ options: FillOptions, _ state: StateStore) throws -> [OnDemandMessage] {
    let mailboxes = try state.mailboxes().filter {
      $0.isMatched && options.choose($0.mailboxName)
    }
    let known = mailboxes.byKey
    func isMeant(_ record: MessageRecord) -> Bool { options.names?.contains(record.name) ?? true }
    switch options.direction {
    case .fill:
      return try state.onDemand(.stub).compactMap { mailbox, record in
        guard let place = known[mailbox], isMeant(record) else { return nil }
        return OnDemandMessage(mailbox: place, record: record)
      }
    case .stub:
      var found: [OnDemandMessage] = []
      // What a person works on stays whole.
      let drafts = FolderRoles(mailboxes).drafts
      for mailbox in mailboxes {
        guard !drafts.contains(mailbox.id) else { continue }
        try state.forEachMessage(in: mailbox.id) { record in
          guard !record.isPruned, !record.isStub, !record.name.isEmpty, isMeant(record),
            record.traits.isDisjoint(with: [.expunged, .outOfView, .differs]),
            !record.agreed.flags.contains(.draft),
            record.contentHash != .unknown, record.serverSize > 0
          else { return }
          found.append(OnDemandMessage(mailbox: mailbox, record: record))
        }
      }
      return found
    }
  }

  /// Messages that were to be filled, and are to stay stubs.
  private func forget() throws {
    let wanted = try FillRun.chosen(
      FillOptions(.fill, names: options.names, mailboxes: options.mailboxes), context.state
    ).filter { $0.record.traits.contains(.wanted) }
    guard !wanted.isEmpty else { return }
    try put(wanted) { $0.remove(.wanted) }
    try OnDemandLeftovers(context: context).removeParts()
  }

  /// Of files that were named one by one: stubs that no record tells of.
  private func tellUnknown(besides known: [[UInt8]]) throws {
    guard let names = options.names else { return }
    var unknown = Set(names.subtracting(known).map { NameHash(of: $0) })
    for mailbox in try context.state.mailboxes() {
      try context.state.forEachName(in: mailbox.id) { _, name in unknown.remove(NameHash(of: name))
      }
    }
    guard !unknown.isEmpty else { return }
    for path in try context.folders.all() {
      let folder = try context.folders.open(path)
      try FolderScan.forEachFile(in: folder) { file throws(MaildirError) in
        guard unknown.contains(file.baseHash) else { return }
        do throws(MaildirError) {
          guard try folder.digest(of: file, policy: context.policy).isStub else { return }
          context.note(
            RunProblem(
              OnDemandError.notOnRecord(String(decoding: file.name, as: UTF8.self)),
              mailbox: path.text))
        } catch {
          if error.stopsRun { throw error }  // Else it went away.
        }
      }
    }
  }

  private func remember(_ chosen: [OnDemandMessage]) throws {
    let new = chosen.filter { !$0.record.traits.contains(.wanted) }
    guard !new.isEmpty else { return }
    try put(new) { $0.insert(.wanted) }
  }

  private func put(_ messages: [OnDemandMessage], _ change: (inout MessageRecord.Traits) -> Void)
    throws
  {
    try context.write { transaction in
      for message in messages {
        var record = message.record
        change(&record.traits)
        try transaction.put(record, in: message.mailbox.id)
      }
    }
  }
}

/// A message, and the mailbox that has it.
struct OnDemandMessage {
  var mailbox: MailboxRecord
  var record: MessageRecord
}
