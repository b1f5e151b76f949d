import GRDB
import Ledger
import MailCore

extension PushRefusal {
  static let subjectColumns = ["kind", "isTry", "target", "name", "uid", "contentHash"]

  /// - Returns: nil where the row lacks what its kind of subject needs.
  init?(row: Row) {
    guard let subject = RefusalSubject(row: row) else { return nil }
    self.init(
      mailbox: row["mailbox"], subject: row["isTry"] ? .tries(subject) : subject,
      attempts: row["attempts"], lastAttempt: row["lastAttempt"], reason: row["reason"],
      obstacle: (row["obstacle"] as String?).flatMap { Obstacle(rawValue: $0) })
  }
}

extension RefusalSubject {
  /// In the order of ``PushRefusal/subjectColumns``.
  var columns: [(any DatabaseValueConvertible)?] {
    func row(
      _ kind: String, target: MailboxKey? = nil, name: String? = nil, uid: UID? = nil,
      contentHash: ContentHash? = nil
    ) -> [(any DatabaseValueConvertible)?] {
      [kind, false, target, name, uid?.rawValue, contentHash]
    }
    switch self {
    case .mailbox: return row("mailbox")
    case .marks: return row("marks")
    case .uploads: return row("uploads")
    case .deletions: return row("deletions")
    case .labels: return row("labels")
    case .moves(let target): return row("moves", target: target)
    case .rename(let name): return row("rename", name: name)
    case .create(let name): return row("create", name: name)
    case .upload(let hash): return row("upload", contentHash: hash)
    case .edit(let uid, let hash): return row("edit", uid: uid, contentHash: hash)
    case .flag(let name): return row("flag", name: name)
    case .keyword(let keyword): return row("keyword", name: keyword)
    case .lost(let uid): return row("lost", uid: uid)
    case .tries(let subject):
      var columns = subject.columns
      columns[1] = true
      return columns
    }
  }

  fileprivate init?(row: Row) {
    let target = row["target"] as MailboxKey?
    let name = row["name"] as String?
    let uid = (row["uid"] as UInt32?).map { UID($0) }
    let hash = row["contentHash"] as ContentHash?
    switch (row["kind"] as String, target, name, uid, hash) {
    case ("mailbox", _, _, _, _): self = .mailbox
    case ("marks", _, _, _, _): self = .marks
    case ("uploads", _, _, _, _): self = .uploads
    case ("deletions", _, _, _, _): self = .deletions
    case ("labels", _, _, _, _): self = .labels
    case ("moves", let target?, _, _, _): self = .moves(to: target)
    case ("rename", _, let name?, _, _): self = .rename(name)
    case ("create", _, let name?, _, _): self = .create(name)
    case ("upload", _, _, _, let hash?): self = .upload(hash)
    case ("edit", _, _, let uid?, let hash?): self = .edit(uid, contentHash: hash)
    case ("flag", _, let name?, _, _): self = .flag(name)
    case ("keyword", _, let keyword?, _, _): self = .keyword(keyword)
    case ("lost", _, _, let uid?, _): self = .lost(uid)
    default: return nil
    }
  }
}

extension DeletionHold {
  /// - Returns: nil where the cause is not known.
  init?(row: Row) {
    guard let cause = Cause(rawValue: row["cause"]) else { return nil }
    self.init(
      mailbox: row["mailbox"], cause: cause, count: row["count"], total: row["total"],
      uids: (row["uids"] as String?).flatMap { UIDSet(stored: $0) })
  }
}
