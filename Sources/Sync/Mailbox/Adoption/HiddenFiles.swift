import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// The end of an adoption after the state was lost: files that by their names were this server's messages, under the
/// numbers that it still uses, and that it does not show. Where these are many, and its oldest, they are out of view as
/// they would be if the state were there: they stay, are not sent again, and are found by their headers once the server
/// shows them.
struct HiddenFiles {
  let mailbox: PulledMailbox
  let uidNext: UInt32

  func record(among leftovers: FileMatcher) throws {
    // An edited draft keeps its name, and is another message on the server.
    guard mailbox.record.specialUse != SpecialUse.drafts.rawValue else { return }
    let recorded = try mailbox.state.uids(.known, in: mailbox.id)
    var files: [UID: (file: MessageFile, date: Int64)] = [:]
    for file in leftovers.leftovers {
      guard let birth = BirthName(base: file.base), birth.isBorn(in: mailbox.name),
        birth.uidValidity.rawValue == mailbox.record.uidValidity, birth.uid.rawValue < uidNext,
        !recorded.contains(birth.uid)
      else { continue }
      files[birth.uid] = (file, birth.internalDate)
    }
    guard !files.isEmpty else { return }
    let hidden = try outOfView(files.mapValues(\.date))
    var kept: [SurplusFile] = []
    for uid in hidden.uids {
      guard let file = files[uid]?.file, let digest = try mailbox.local.digest(of: file) else {
        continue
      }
      kept.append(SurplusFile(nameHash: file.baseHash, contentHash: digest.contentHash))
    }
    guard !kept.isEmpty else { return }
    try mailbox.commit { transaction in
      for file in kept { try transaction.addSurplus(file, to: mailbox.id) }
    }
    mailbox.report(PullNotice.hiddenFiles(kept.count))
  }

  private func outOfView(_ files: [UID: Int64]) throws -> UIDSet {
    let gone = UIDSet(files.keys.sorted())
    let verdict = try ViewGuard.judge(gone, of: mailbox.id, already: UIDSet(), earlier: []) { see in
      var rest = files.sorted { $0.key < $1.key }[...]
      try mailbox.state.forEachMessage(in: mailbox.id) { record in
        while let first = rest.first, first.key < record.uid {
          see(ViewGuard.Known(uid: first.key, date: first.value))
          rest.removeFirst()
        }
        see(
          ViewGuard.Known(
            uid: record.uid, date: record.internalDate,
            hasFile: !record.isPruned && !record.name.isEmpty))
      }
      for file in rest { see(ViewGuard.Known(uid: file.key, date: file.value)) }
    }
    return if case .outOfView(let uids) = verdict { uids } else { UIDSet() }
  }
}
