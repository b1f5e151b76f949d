import IMAPClient
import IMAPWire
import Ledger
import MailCore
import Maildir
import Settings
import State
import SyncPlan

/// Which mailboxes to visit: the server's list, held against the state; renamed, new and vanished ones settled.
struct MailboxPlanning {
  struct Plan {
    var total = 0
    var visits: [MailboxPull] = []
    /// Under a window by size: what must be known before any mailbox but the INBOX is visited.
    var survey: PullQueue.Survey?
    var outcomes: [MailboxOutcome] = []
    var labels = LabelPolicy(mirrored: [String]())
  }

  let context: AccountContext
  let settings: SyncSettings
  let options: PullOptions
  /// Whether a listed mailbox that is not there is a reason to list once more.
  let mayBeStale: Bool
  /// Mailboxes that broke an earlier connection of this run when they were looked into, each with what was said.
  let broken: [MailboxName: String]

  /// - Throws: ``StaleList`` where that is possible.
  func plan(_ session: IMAPSession, _ listings: [MailboxListing]) throws -> Plan {
    var listings = listings
    var records = try context.state.mailboxes()
    var plan = Plan()
    var catalogue = MailboxCatalogue(
      listings: listings, records: records, folders: settings.folders)
    for (listing, _) in catalogue.mirrored where !listing.isListed {
      context.note(
        RunProblem(
          mailbox: listing.name.text,
          problem:
            "The server left this mailbox out of its list, and has it: it is mirrored all the same.",
          exitStatus: .done))
    }
    plan.labels = catalogue.labels
    let renames = try ServerRenames(context: context, mayBeStale: mayBeStale, broken: broken)
      .follow(catalogue, session)
    let hasNewRoles = try context.takeRoles(
      listings, from: session, besides: renames.unfollowed.map(\.record))
    plan.outcomes = renames.outcomes
    if !renames.outcomes.isEmpty || !renames.unfollowed.isEmpty || hasNewRoles {
      records = try context.state.mailboxes()
      listings = try context.named(listings, session.names)
      catalogue = MailboxCatalogue(listings: listings, records: records, folders: settings.folders)
      catalogue.leaveOut(renames.unfollowed)
      if !renames.unfollowed.isEmpty { context.missesMailboxes = true }
    }
    if mayBeStale, Self.isDoubtful(catalogue.vanished, listings) { throw StaleList() }
    for problem in renames.problems + catalogue.doubled.map(\.doubledProblem) {
      context.note(problem)
    }
    plan.total = catalogue.mirrored.count
    try VanishedMailboxes(context: context).leave(catalogue.vanished)
    if session.quirks.contains(.gmail) { try keepKnown(catalogue.archive) }
    try UnmirroredViews(context: context, folders: settings.folders)
      .record(catalogue.views, among: listings)
    let chosen = try named(choose(catalogue.mirrored, besides: renames.unfollowed))
    var window = settings.window.days.map { WindowPlan.days($0, now: context.started) } ?? .open
    window.beyond = options.beyond
    if let budget = settings.window.bytes {
      try survey(budget, within: window, chosen, listings, renames.unfollowed, &plan)
    } else {
      plan.visits = try visits(chosen, window)
    }
    return plan
  }

  /// Whether a mailbox was listed, and was not there when its STATUS was asked for: perhaps it has just been renamed.
  private static func isDoubtful(_ vanished: [MailboxRecord], _ listings: [MailboxListing]) -> Bool
  {
    let refused = Set(listings.filter { $0.statusFailure != nil }.map(\.name))
    return vanished.contains { !$0.isGone && refused.contains($0.mailboxName) }
  }

  /// Of the chosen mailboxes, those where something may have changed.
  private func visits(_ chosen: [Chosen], _ window: WindowPlan) throws -> [MailboxPull] {
    var unfinished = Set(try context.state.failures().map(\.mailbox))
    // What is out of view there can be let go now, or is known to be kept.
    if context.allowsMassDelete || context.viewIsPartial {
      unfinished.formUnion(try context.state.outOfView().keys)
    }
    return try chosen.filter { !context.unsettled.contains($0.record.id) }.compactMap {
      listing, record in
      if !window.beyond.concerns(listing.name), !record.needsAdoption,
        !unfinished.contains(record.id),
        window.undecidedBudget != nil || record.windowStart == window.start,
        record.isUnchanged(listing.status)
      {
        return nil
      }
      let status = listing.status
      return try MailboxPull(
        record, in: context,
        listed: .init(uidValidity: status?.uidValidity, mailboxID: status?.mailboxID),
        window: window)
    }
  }

  /// A window by size: the INBOX's newest do not wait until the sizes of everything are known.
  private func survey(
    _ budget: Int64, within days: WindowPlan, _ chosen: [Chosen], _ listings: [MailboxListing],
    _ unfollowed: [MailboxRenaming.Rename], _ plan: inout Plan
  ) throws {
    var catalogue = MailboxCatalogue(
      listings: listings, records: try context.state.mailboxes(), folders: settings.folders)
    catalogue.leaveOut(unfollowed)
    let survey = SizeSurvey(
      context: context, budget: budget, within: days, mirrored: catalogue.mirrored)
    plan.visits = try visits(
      chosen.filter { $0.listing.name.isInbox }, days.undecided(budget: budget))
    let early = Set(plan.visits.map(\.mailbox.id))
    let others = chosen.filter { !early.contains($0.record.id) }
    let shares = survey.shares
    if shares.isEmpty, early.isEmpty {
      plan.visits = try visits(others, survey.plan())
      return
    }
    plan.survey = PullQueue.Survey(shares: shares) {
      let window = try survey.plan()
      return (window, try visits(others, window))
    }
  }

  /// The mailboxes that were asked for; all of them when none was.
  private func choose(
    _ mirrored: [(listing: MailboxListing, record: MailboxRecord?)],
    besides unfollowed: [MailboxRenaming.Rename]
  ) throws -> [(listing: MailboxListing, record: MailboxRecord?)] {
    guard !options.mailboxes.isEmpty else { return mirrored }
    context.missesMailboxes = true
    let names =
      mirrored.map(\.listing.name)
      + unfollowed.flatMap { [$0.listing.name, $0.record.mailboxName] }
    for wanted in options.mailboxes
    where !names.contains(where: { FolderPatterns.pattern(wanted, matches: $0) }) {
      throw SyncError.noSuchMailbox(
        wanted, nearest: mirrored.map(\.listing.name.text).filter { $0.nearlyEquals(wanted) })
    }
    return mirrored.filter { options.choose($0.listing.name) }
  }

  private typealias Chosen = (listing: MailboxListing, record: MailboxRecord)

  /// Gmail's archive gets a record where it is not mirrored, so that messages can be moved there: as of a mailbox whose
  /// window leaves all of them out. Mail that lies in its folder before that, mirrored by an earlier configuration or
  /// another program, stays as it is: then the mailbox is just one that is left out.
  private func keepKnown(_ archive: (listing: MailboxListing, record: MailboxRecord?)?) throws {
    guard let archive, let status = archive.listing.status,
      let validity = status.uidValidity?.rawValue, let next = status.uidNext?.rawValue
    else { return }
    let wasKnown = archive.record?.keepsNothing ?? false
    guard try wasKnown || !isMirrorOf(archive),
      let before = try named([archive], keepNothing: true).first?.record
    else { return }
    var record = before
    record.uidValidity = validity
    record.uidNext = next
    record.forwardCursor = max(1, next) - 1
    record.settledCursor = record.forwardCursor
    record.backwardCursor = 1
    record.isDirty = false
    record.needsAdoption = false
    guard record != before || !wasKnown else { return }
    // Other numbers, or a server that was restored from a backup: what lies in the folder is held against it anew.
    let isAnother = !wasKnown || before.uidValidity != validity || next < before.uidNext
    try context.state.transaction { transaction in
      if isAnother { try transaction.forgetMessages(of: record) }
      try transaction.save(record)
    }
    context.noteChange()
  }

  /// Whether its folder holds more than what waits to be archived: files that no pull brought from another mailbox.
  private func isMirrorOf(_ archive: (listing: MailboxListing, record: MailboxRecord?)) throws
    -> Bool
  {
    let name = archive.listing.name
    let path = try archive.record?.folder ?? context.folders.layout().path(of: name)
    guard try context.folders.holds(path) else { return false }
    var isMirror = false
    try FolderScan.forEachFile(in: try context.folders.open(path)) { file in
      let birth = BirthName(base: file.base)
      isMirror = isMirror || birth?.account != context.account || birth?.isBorn(in: name) != false
    }
    return isMirror
  }

  /// Every mailbox gets its record and its directory.
  private func named(
    _ chosen: [(listing: MailboxListing, record: MailboxRecord?)], keepNothing: Bool = false
  ) throws -> [Chosen] {
    // A mailbox may have had a folder there before the state was lost.
    let folders = try context.folders.assign(chosen.map(\.listing.name)) {
      try context.adoptsNewMailboxes && context.folders.holds($0)
    }
    return try chosen.compactMap { listing, known in
      guard let folder = folders[listing.name] else {
        context.note(RunProblem(SyncError.noFolder(listing.name), mailbox: listing.name.text))
        return nil
      }
      if var known {
        try refresh(&known, from: listing, keepNothing: keepNothing)
        return (listing, known)
      }
      let record = try context.state.addMailbox(
        name: listing.name.text, rawName: listing.rawName,
        delimiter: listing.delimiter.map(String.init), folder: folder
      ) { record in
        record.specialUse = listing.specialUse.first?.rawValue
        if keepNothing { record.windowStart = MailboxRecord.shutWindow }
        record.needsAdoption = !keepNothing && context.adoptsNewMailboxes
        record.mailboxID = listing.status?.mailboxID
      }
      context.noteChange()
      return (listing, record)
    }
  }

  /// What the server tells of a mailbox that has its record.
  private func refresh(
    _ record: inout MailboxRecord, from listing: MailboxListing, keepNothing: Bool
  ) throws {
    let before = record
    record.rawName = listing.rawName
    if record.isGone { record.specialUse = listing.specialUse.first?.rawValue }
    record.isGone = false
    if record.isLeftOut { record.mirrorAgain() }
    if keepNothing {
      record.windowStart = MailboxRecord.shutWindow
    } else if record.keepsNothing {
      record.openWindow()
      try context.state.transaction { transaction in
        try transaction.forgetMessages(of: record)
        try transaction.save(record)
      }
    }
    // What has another one is for its visit to judge.
    if record.mailboxID == nil { record.mailboxID = listing.status?.mailboxID }
    guard record != before else { return }
    try context.state.save(record)
    context.noteChange()
  }
}

extension String {
  /// Alike enough to be meant.
  func nearlyEquals(_ other: String) -> Bool {
    let a = Keywords.fold(self)
    let b = Keywords.fold(other)
    return a.contains(b) || b.contains(a)
  }
}
