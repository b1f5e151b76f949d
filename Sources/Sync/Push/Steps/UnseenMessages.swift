import Ledger
import MailCore
import Maildir
import Remote
import SyncPlan

/// A file that no record tells of may be a message that the server has: another machine pulled or pushed it, and the
/// tree was carried here; or the state is older than the tree. Where messages came that no pull has seen, they are
/// looked at before anything is sent or copied.
///
/// What is found is left to the next pull, which makes file and message one, as it would have done had it come first.
struct UnseenMessages: PushPart {
  let desk: PushDesk
  /// New files of the plan that is carried out, in all mailboxes.
  let planned: [PushPlan.PlannedUpload]
  private let answers = PlacesAsked()

  init(desk: PushDesk, planned: [PushPlan.PlannedUpload]) {
    self.desk = desk
    self.planned = planned
  }

  /// - Returns: those that the server does not have.
  func withoutUnseen(_ uploads: [PushPlan.PlannedUpload], in mailbox: MailboxKey) throws
    -> [PushPlan.PlannedUpload]
  {
    var births: [MailboxKey: [Int: UID]] = [:]
    for (index, upload) in uploads.enumerated() where upload.replaces == nil {
      guard let place = birthplace(of: upload.file) else { continue }
      births[place.mailbox, default: [:]][index] = place.uid
    }
    var found: Set<Int> = []
    for (place, uids) in births.sorted(by: { known.order($0.key, $1.key) }) where place != mailbox {
      found.formUnion(try lying(in: place, uids, uploads))
    }
    found.formUnion(try lying(in: mailbox, births[mailbox] ?? [:], uploads, besides: found))
    found.formUnion(try namedAnew(uploads, besides: found, in: mailbox))
    noteUnseen(found.count, mailbox)
    return uploads.enumerated().filter { !found.contains($0.offset) }.map(\.element)
  }

  private func birthplace(of file: UnknownFile) -> MessageKey? {
    MessageKey(birthplaceOf: file, in: known.records.values)
  }

  /// UIDs that the server may have given out since, and that no pull has seen; and those that could not be pulled.
  private func unseen(in mailbox: MailboxKey) throws -> UIDSet {
    guard let record = known.records[mailbox], record.uidValidity != 0 else { return UIDSet() }
    var uids = UIDSet()
    for failure in try state.failures() where failure.mailbox == mailbox {
      guard let first = failure.uid else { continue }
      // One may stand for others above it; those that were pulled are known.
      let last = failure.others > 0 ? max(first, record.forwardCursor) : first
      uids = uids.union(UIDSet(first...last))
    }
    let first = record.forwardCursor &+ 1
    var next = known.listing(of: record)?.status?.uidNext?.rawValue ?? 0
    next = max(next, mailboxes.uidNexts[mailbox] ?? 0)
    if first != 0, next == 0 || next > first {
      uids = uids.union(UIDSet(first...(next == 0 ? UInt32.max : next - 1)))
    }
    return uids.isEmpty ? uids : uids.subtracting(try state.uids(.known, in: mailbox))
  }

  /// Files that were moved here by somebody, and whose message is where it was born: the mailbox has it under the UID
  /// that the name says, with this header. One that is not shown may be it.
  private func lying(
    in birthplace: MailboxKey, _ births: [Int: UID], _ uploads: [PushPlan.PlannedUpload]
  ) throws -> Set<Int> {
    let unseen = try unseen(in: birthplace)
    let births = births.filter { unseen.contains($0.value) }
    guard !births.isEmpty else { return [] }
    let look = try mailboxes.with(birthplace, asPlace: true) { open in
      let there = try open.existing(UIDSet(births.values.sorted()))
      return (there, try open.headers(of: there).mapValues(\.headerHash))
    }
    guard let (there, headers) = look else { return Set(births.keys) }
    return Set(
      births.filter { index, uid in
        there.contains(uid)
          && headers[uid].map { $0 == uploads[index].file.digest.headerHash } ?? true
      }.keys)
  }

  /// Files whose message is in the mailbox that they lie in. A name from birth is believed where the header agrees, as
  /// by a pull; else the whole content has to be the same: a person may write another text under the same header.
  private func lying(
    in mailbox: MailboxKey, _ births: [Int: UID], _ uploads: [PushPlan.PlannedUpload],
    besides others: Set<Int>
  ) throws -> Set<Int> {
    let wanted = uploads.indices.filter { !others.contains($0) }
    let unseen = wanted.isEmpty ? UIDSet() : try unseen(in: mailbox)
    guard !unseen.isEmpty else { return [] }
    return try mailboxes.with(mailbox) { open in
      guard open.facts.exists != 0 else { return [] }
      let there = try open.existing(unseen)
      let headers = try open.headers(of: there).mapValues(\.headerHash)
      var found: Set<Int> = []
      var free = Dictionary(grouping: headers.keys.sorted()) { headers[$0] ?? .unknown }
      var doubtful: [Int] = []
      for index in wanted {
        let hash = uploads[index].file.digest.headerHash
        if let uid = births[index], there.contains(uid), headers[uid].map({ $0 == hash }) ?? true {
          free[hash]?.removeAll { $0 == uid }
          found.insert(index)
        } else {
          doubtful.append(index)
        }
      }
      let candidates = doubtful.flatMap { free[uploads[$0].file.digest.headerHash] ?? [] }
      let contents = try open.contents(of: UIDSet(Set(candidates).sorted()))
      for index in doubtful {
        let digest = uploads[index].file.digest
        let place = free[digest.headerHash]?.firstIndex {
          contents[$0]?.holds(digest.contentHash) == true
        }
        guard let place else {
          // One that a pull could not get, and that is not shown now, may be it: the file waits.
          let first = (known.records[mailbox]?.forwardCursor ?? 0) &+ 1
          let old = (free[digest.headerHash] ?? []).filter { $0.rawValue < max(1, first) }
          if old.contains(where: { contents[$0] == nil }) { found.insert(index) }
          continue
        }
        free[digest.headerHash]?.remove(at: place)
        found.insert(index)
      }
      if found.count < wanted.count {
        // A pull could not get those below the cursor, either: they keep no new message back.
        let first = (known.records[mailbox]?.forwardCursor ?? 0) &+ 1
        let new = UIDSet(max(1, first)...UInt32.max)
        try finder.expectShown(there.intersection(new), headers.keys, in: mailbox, open)
        try finder.expectShown(
          UIDSet(Set(candidates).sorted()).intersection(new), contents.keys, in: mailbox, open)
      }
      return found
    } ?? []
  }

  // MARK: Files whose names say nothing

  /// Files that lie elsewhere than their message, and whose names do not say where that is: it was moved and pushed on
  /// the other machine, and moved once more before the tree was carried; or saved under a new name. Among the unseen
  /// messages of all other mailboxes one has this Message-ID and this content, and no file here is named after it. The next
  /// pull gives the file to that message (`CarriedArrivals`), and the push after it moves the message.
  private func namedAnew(
    _ uploads: [PushPlan.PlannedUpload], besides others: Set<Int>, in mailbox: MailboxKey
  ) throws -> Set<Int> {
    var wanted: [Int: String] = [:]
    var found: Set<Int> = []
    for place in known.records.keys.sorted(by: known.order) where place != mailbox {
      let unseen = try unseenByPulls(of: place)
      guard !unseen.isEmpty, !mailboxes.isSkipped(place), let record = known.records[place] else {
        continue
      }
      if wanted.isEmpty { wanted = try messageIDs(of: uploads, besides: others) }
      guard !wanted.isEmpty else { return [] }
      try ask(place, record, about: Set(wanted.values), of: uploads, among: unseen)
      for index in theirs(wanted, uploads, in: place) {
        found.insert(index)
        wanted[index] = nil
      }
      if wanted.isEmpty { break }
    }
    return found
  }

  /// UIDs that the next pull brings, and that no file of this plan is named after.
  private func unseenByPulls(of place: MailboxKey) throws -> UIDSet {
    guard let record = known.records[place], !record.isGone, record.uidValidity != 0,
      let listing = known.listing(of: record), let next = listing.status?.uidNext?.rawValue,
      MailboxCatalogue.isMirrored(listing, known.folders)
    else { return UIDSet() }
    let first = record.forwardCursor &+ 1
    guard first != 0, next > first else { return UIDSet() }
    let named = planned.compactMap { birthplace(of: $0.file) }
      .filter { $0.mailbox == place }.map(\.uid)
    return UIDSet(first...(next - 1)).subtracting(try state.uids(.known, in: place))
      .subtracting(UIDSet(Set(named).sorted()))
  }

  private func messageIDs(of uploads: [PushPlan.PlannedUpload], besides others: Set<Int>) throws
    -> [Int: String]
  {
    var ids: [Int: String] = [:]
    for (index, upload) in uploads.enumerated()
    where upload.replaces == nil && !others.contains(index) {
      guard let header = try files.header(of: upload.file) else { continue }
      ids[index] = MessageIDField.value(in: header)
    }
    return ids
  }

  /// Each mailbox is looked into once for all files of the plan.
  private func ask(
    _ place: MailboxKey, _ record: MailboxRecord, about ids: Set<String>,
    of uploads: [PushPlan.PlannedUpload], among unseen: UIDSet
  ) throws {
    let all = try answers.ids ?? Set(messageIDs(of: planned, besides: []).values)
    answers.ids = all
    let new = all.union(ids).subtracting(answers.asked[place] ?? [])
    guard !new.isEmpty else { return }
    answers.asked[place, default: []].formUnion(new)
    let hashes = Set((planned + uploads).map(\.file.digest.headerHash))
    let found = try mailboxes.examine(
      MailboxTarget(record), if: { record.objection(to: $0) == nil },
      { open in
        let likely = try open.uids(withMessageIDs: new, among: unseen)
        let headers = try open.headers(of: likely).mapValues(\.headerHash)
        let candidates = UIDSet(headers.filter { hashes.contains($0.value) }.keys.sorted())
        return try open.contents(of: candidates)
      })
    answers.found[place, default: [:]].merge(found ?? [:]) { $1 }
  }

  /// Which of the files are messages that were found there, by their content.
  private func theirs(
    _ wanted: [Int: String], _ uploads: [PushPlan.PlannedUpload], in place: MailboxKey
  ) -> [Int] {
    var free = (answers.found[place] ?? [:]).sorted { $0.key < $1.key }
    return wanted.keys.sorted().filter { index in
      let content = uploads[index].file.digest.contentHash
      guard let place = free.firstIndex(where: { $0.value.holds(content) }) else { return false }
      free.remove(at: place)
      return true
    }
  }

  private func noteUnseen(_ count: Int, _ mailbox: MailboxKey) {
    guard count > 0 else { return }
    self.count(.waiting, mailbox, detail: "the server has it already", count: count)
    tell(
      mailbox,
      count == 1
        ? "1 file here is a message that the server has and no pull has seen: it is not sent."
        : "\(count) files here are messages that the server has and no pull has seen: they are not "
          + "sent.", remedy: "The next pull makes each one with its message.", exitStatus: .done)
  }
}

/// What mailboxes said of the new files of one push. Confined to the connection's thread.
private final class PlacesAsked {
  /// Message-IDs of all planned files, once they were needed.
  var ids: Set<String>?
  var asked: [MailboxKey: Set<String>] = [:]
  var found: [MailboxKey: [UID: DigestProbe.Found]] = [:]
}
