import IMAPWire
import Ledger
import MailCore
import Maildir
import Settings
import State
import SyncPlan

/// Mailboxes that the server renamed: their folders follow, with the folders below them.
struct MailboxRenaming {
  typealias Rename = (record: MailboxRecord, listing: MailboxListing)

  let context: AccountContext
  /// Those whose folders could not follow, which was told: neither their new names nor they themselves are to be touched
  /// in this run.
  private(set) var failed: [Rename] = []
  /// Those that are still to follow: until then their folders go along with the ones above them.
  private var pending: Set<MailboxKey> = []

  /// - Parameter waiting: of which is not known whether they are renames: they too keep their names and folders.
  init(context: AccountContext, waiting: [Rename] = []) {
    self.context = context
    failed = waiting
  }

  /// Carries out all renames of a run; where two mailboxes took over each other's names, one steps aside first.
  mutating func follow(_ renames: [Rename]) throws -> [MailboxOutcome] {
    pending = Set(renames.map(\.record.id))
    var outcomes: [MailboxOutcome] = []
    var left = renames.sorted { $0.record.name < $1.record.name }
    while !left.isEmpty {
      let names = Set((left + failed).map(\.record.mailboxName))
      guard let free = left.firstIndex(where: { !names.contains($0.listing.name) }) else {
        try makeFree(&left)
        continue
      }
      let (record, listing) = left.remove(at: free)
      pending.remove(record.id)
      var outcome = MailboxOutcome(mailbox: listing.name.text)
      outcome.renamedFrom = renames.first { $0.record.id == record.id }?.record.name
      // An earlier rename of this run may have carried this one's folder along.
      let current = try context.state.mailbox(record.id) ?? record
      let now = self
      if try sparing(current, listing, { try now.follow(current, to: listing) }) {
        outcomes.append(outcome)
      }
    }
    return outcomes
  }

  /// One of those that wait for each other steps aside; or they wait for one that failed, and have to go on waiting.
  private mutating func makeFree(_ left: inout [Rename]) throws {
    let names = Set(failed.map(\.record.mailboxName))
    if let stuck = left.firstIndex(where: { names.contains($0.listing.name) }) {
      failed.append(left.remove(at: stuck))
      return
    }
    var record = left[0].record
    let now = self
    if try sparing(record, left[0].listing, { try now.stepAside(&record) }) {
      left[0].record = record
    } else {
      left.removeFirst()
    }
  }

  private mutating func sparing(
    _ record: MailboxRecord, _ listing: MailboxListing, _ work: () throws -> Void
  ) throws -> Bool {
    var isDone = false
    try context.sparing(record.name) {
      try work()
      isDone = true
    }
    if !isDone { failed.append((record, listing)) }
    return isDone
  }

  private func stepAside(_ record: inout MailboxRecord) throws {
    var aside = try context.state.mailbox(record.id) ?? record
    try FreeNames(context).stepAside(&aside)
    try FolderRelocations(context).relocate(&aside, besides: pending)
    record = aside
  }

  /// The mailbox that had the new name before is gone from the server: what is left of it here makes room.
  func clear(_ name: MailboxName) throws {
    guard var gone = try context.state.mailboxes().first(where: { $0.mailboxName == name }) else {
      return
    }
    let old = gone.folder
    let isKnown = !gone.isNew
    try FreeNames(context).retire(&gone)
    // Of one that was never looked into nothing is here; what a person put there is for whoever has the name.
    guard isKnown else {
      try context.state.save(gone)
      return context.noteChange()
    }
    do throws(MaildirError) {
      try context.folders.remove(old)
    } catch {
      if error.stopsRun { throw error }
    }
    do {
      try FolderRelocations(context).relocate(&gone, besides: pending)
    } catch {
      guard case .mailbox = RunFailure(error) else { throw error }
      // Its folder stays where it is; the name alone is free.
      context.note(RunProblem(error, mailbox: name.text))
      gone.folder = old
      try context.state.save(gone)
      context.noteChange()
    }
  }

  private func follow(_ record: MailboxRecord, to listing: MailboxListing) throws {
    // Only the server's spelling changed: what it reads as was this one's, and stays it.
    if listing.name.isSpelled, listing.name.reading == record.mailboxName {
      var respelled = record
      respelled.rawName = listing.rawName
      try context.state.save(respelled)
      return context.noteChange()
    }
    try clear(listing.name)
    let places = try context.folders.assign([listing.name], besides: record.id)
    guard let new = places[listing.name] else {
      throw SyncError.noFolder(listing.name)
    }
    var renamed = record
    // No directory can be put into itself.
    if new.isInside(record.folder) && new != record.folder { try stepAside(&renamed) }
    renamed.name = listing.name.text
    renamed.rawName = listing.rawName
    renamed.delimiter = listing.delimiter.map(String.init)
    renamed.folder = new
    try FolderRelocations(context).relocate(&renamed, besides: pending)
  }
}

extension MailboxCatalogue {
  /// Mailboxes that have other names on the server, which could not be followed: their old ones are no sign that they
  /// are gone, and their new ones none of new mailboxes.
  mutating func leaveOut(_ failed: [MailboxRenaming.Rename]) {
    let ids = Set(failed.map(\.record.id))
    let names = Set(failed.map(\.listing.name))
    vanished.removeAll { ids.contains($0.id) }
    mirrored.removeAll {
      names.contains($0.listing.name) || $0.record.map { ids.contains($0.id) } == true
    }
  }
}
