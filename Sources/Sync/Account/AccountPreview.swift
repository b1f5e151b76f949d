import Foundation
import IMAPClient
import IMAPWire
import MailCore
import Maildir
import Settings
import State

extension AccountPull {
  /// What `run()` would do, from the state and the server; the tree is neither read nor written.
  func preview() -> PullSummary {
    let begun = Date()
    var summary = PullSummary(account: account.name, dryRun: true)
    do {
      try preview(&summary)
    } catch {
      let problem = RunProblem(error)
      observer.noticed(problem, account: account.name)
      summary.add(problem)
    }
    summary.seconds = Date().timeIntervalSince(begun)
    return summary
  }

  private func preview(_ summary: inout PullSummary) throws {
    let path = root + "/" + account.name + "/.mirror/state.db"
    let store =
      FileManager.default.fileExists(atPath: path)
      ? try StateStore(path: path, durable: false, readOnly: true) : nil
    defer { store?.shut() }
    let session = factory.makeSession()
    defer { session.logout() }
    try session.open()
    let catalogue = MailboxCatalogue(
      listings: try session.discover(), records: try store?.mailboxes() ?? [],
      folders: account.sync.folders)
    summary.mailboxesTotal = catalogue.mirrored.count
    let labels = LabelPolicy(mirrored: catalogue.mirrored.map(\.listing.name.text))
    let remote = IMAPRemoteMailbox(session: session, labels: labels)
    for (listing, record) in catalogue.mirrored where isWanted(listing) {
      if let record, record.isUnchanged(listing.status) { continue }
      summary.add(try outcome(listing, record, store, remote))
    }
    for record in catalogue.vanished where !record.isGone {
      summary.add(
        RunProblem(
          mailbox: record.name,
          problem: "The server no longer has this mailbox; its folder would stay.",
          exitStatus: .done))
    }
  }

  private func isWanted(_ listing: MailboxListing) -> Bool {
    options.mailboxes.isEmpty
      || options.mailboxes.contains { FolderPatterns.pattern($0, matches: listing.name) }
  }

  private func outcome(
    _ listing: MailboxListing, _ record: MailboxRecord?, _ store: StateStore?,
    _ remote: IMAPRemoteMailbox
  ) throws -> MailboxOutcome {
    var outcome = MailboxOutcome(mailbox: listing.name.text)
    let target = MailboxTarget(
      name: listing.name, rawName: listing.rawName,
      uidValidity: record.map { UIDValidity($0.uidValidity) })
    guard let store, let record, let id = record.id else {
      let delta = try remote.open(target, asking: .everything(marksUpTo: nil))
      outcome.new = delta.exists
      return outcome
    }
    var known = KnownMessages(recorded: try store.uids(.known, in: id))
    let delta = try remote.open(target, asking: .best(record, known, remote))
    if record.uidValidity != delta.uidValidity.rawValue { known.recorded = UIDSet() }
    var plan = PullPlanner.plan(known: known, delta: delta)
    if plan.doubt == .needsListing {
      let listing = try remote.listAll()
      plan = PullPlanner.plan(known: known, listed: listing.uids, exists: listing.exists)
    }
    outcome.new = plan.missing.count
    outcome.gone = plan.expunged.count
    for position in 0..<delta.marks.count {
      let said = delta.marks[position]
      guard known.recorded.contains(said.uid), !plan.expunged.contains(said.uid) else { continue }
      if try store.message(in: id, said.uid)?.remote != said.marks { outcome.changed += 1 }
    }
    return outcome
  }
}
