import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// The server's flags and keywords of known messages, brought to their files.
struct RemoteMarks {
  let mailbox: PulledMailbox

  /// A bounded number at a time.
  func bring(_ table: MarkTable, except expunged: UIDSet) throws {
    var position = 0
    while position < table.count {
      try mailbox.context.checkInterrupt()
      let end = min(position + 2000, table.count)
      let range = table[position].uid.rawValue...table[end - 1].uid.rawValue
      var said = table[position..<end]
      var changed: [(MessageRecord, MessageMarks)] = []
      try mailbox.state.forEachMessage(in: mailbox.id, range) { record in
        while let next = said.first, next.uid < record.uid { said.removeFirst() }
        guard let next = said.first, next.uid == record.uid, !expunged.contains(record.uid) else {
          return
        }
        if differs(record, from: next.marks) { changed.append((record, next.marks)) }
      }
      try bring(changed)
      position = end
    }
  }

  private func differs(_ record: MessageRecord, from remote: MessageMarks) -> Bool {
    guard mailbox.policy.keywords.keeps else { return remote.flags != record.remote.flags }
    return remote != record.remote
  }

  private func bring(_ changed: [(MessageRecord, MessageMarks)]) throws {
    guard !changed.isEmpty else { return }
    var kept: [MessageRecord] = []
    var absent: [(MessageRecord, MessageMarks)] = []
    var touched = 0
    for (record, remote) in changed {
      if record.isPruned {
        var pruned = record
        pruned.agreed = remote
        kept.append(pruned)
        continue
      }
      switch try mailbox.local.bring(remote, to: record) {
      case .applied(let record, let isTouched):
        kept.append(record)
        if isTouched { touched += 1 }
      case .absent(let record): absent.append((record, remote))
      }
    }
    let moved = try bringToMoved(absent)
    kept += moved.records
    touched += moved.touched
    // Renames must be on disk before the state says so: otherwise a power cut would make the server's change look
    // like a person's wish to undo it.
    if touched > 0 { try mailbox.local.sync() }
    try mailbox.save(kept)
    mailbox.count { $0.changed += touched }
  }

  /// Files that a person moved to another folder, and did not push yet, get the server's marks there; for files that
  /// are nowhere, the record remembers what the server said.
  private func bringToMoved(_ absent: [(MessageRecord, MessageMarks)]) throws -> (
    records: [MessageRecord], touched: Int
  ) {
    guard !absent.isEmpty else { return ([], 0) }
    let places = try mailbox.context.folders.places(
      ofFiles: Set(absent.map { NameHash(of: $0.0.name) }), except: mailbox.local.path)
    var records: [MessageRecord] = []
    var touched: [FolderPath: LocalFolder] = [:]
    for (record, remote) in absent {
      guard let path = places[NameHash(of: record.name)],
        !mailbox.policy.keywords.keepsLetters(for: remote, record)
      else {
        records.append(record)
        continue
      }
      let folder = try touched[path] ?? mailbox.context.folders.local(at: path)
      var known = record
      known.unappliedRemote = nil
      switch try folder.bring(remote, to: known) {
      case .applied(let kept, let isTouched):
        records.append(kept)
        if isTouched { touched[path] = folder }
      case .absent(let kept): records.append(kept)
      }
    }
    for folder in touched.values { try folder.sync() }
    return (records, touched.count)
  }
}
