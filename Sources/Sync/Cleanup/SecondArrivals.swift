import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// Messages that are in a mailbox twice because they were sent again before the server showed the first ones. The file
/// of the surplus one goes, and the next push deletes that message as any other whose file is gone: with its guards, and
/// to Trash.
///
/// Only what a pull named itself, that nothing was done to, and of which the same content stays in the folder, byte for
/// byte. Where a person did something to both, both stay.
struct SecondArrivals {
  /// After so long, in seconds, another message with the same content is a person's own.
  static let longestDelay: Int64 = 86_400

  let folder: CleanedFolder
  let sends: [SecondSend]
  private var local: LocalFolder { folder.local }

  func giveBack() throws {
    let (context, id) = (folder.context, folder.mailboxID)
    let sent = Dictionary(grouping: sends, by: \.contentHash)
    let places = try context.state.contents(in: id, among: Set(sent.keys))
    var gone = 0
    for (content, sends) in sent {
      let first = sends.map(\.uidNext).min() ?? 0
      var present: [MessageRecord] = []
      for uid in places[content] ?? [] where uid.rawValue >= first {
        if let record = try context.state.message(in: id, uid), try holdsItsContent(record) {
          present.append(record)
        }
      }
      // Each that was sent has its place.
      while present.count > sends.count, let surplus = try unlinkOne(of: present) {
        present.remove(at: surplus)
        gone += 1
      }
    }
    guard gone > 0 else { return }
    try local.sync()
    let notice = PullNotice.sentTwice(gone)
    context.note(RunProblem(notice, mailbox: folder.mailbox.name))
    context.leavesPush = true
  }

  private func holdsItsContent(_ record: MessageRecord) throws -> Bool {
    try local.withFile(record.name, lastFlags: record.agreed.flags) {
      try !local.holdsAnother($0, record)
    } ?? false
  }

  /// - Returns: which one.
  private func unlinkOne(of present: [MessageRecord]) throws -> Int? {
    for (place, record) in present.enumerated().reversed() {
      guard let birth = BirthName(base: record.name), birth.uid == record.uid,
        present.contains(where: { $0.uid != record.uid && $0.agreed.holds(record.agreed) })
      else { continue }
      let isGone = try local.withFile(record.name, lastFlags: record.agreed.flags) { file in
        let seen = try local.folder.facts(file)
        guard try local.isAsAgreed(file, record) else { return false }
        try local.unlink(file, asSeen: seen)
        return true
      }
      if isGone == true { return place }
    }
    return nil
  }
}

extension MessageMarks {
  /// Nothing of the other's is lost with it.
  fileprivate func holds(_ other: MessageMarks) -> Bool {
    flags.isSuperset(of: other.flags) && other.keywords.subtracting(keywords).isEmpty
  }
}
