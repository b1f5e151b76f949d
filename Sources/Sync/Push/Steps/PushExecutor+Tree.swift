import Ledger
import MailCore
import Maildir
import State
import SyncPlan

extension PushExecutor {
  /// What a push only writes down: a file's new name, and files that are never sent.
  static func noteLocally(_ plan: PushPlan, _ context: AccountContext) throws {
    guard !plan.renamedFiles.isEmpty || !plan.surplus.isEmpty else { return }
    try context.state.transaction { transaction in
      for renamed in plan.renamedFiles {
        var record = renamed.record
        record.take(renamed.file)
        try transaction.put(record, in: renamed.from)
        try transaction.removeSurplus(nameHash: renamed.file.file.baseHash, from: renamed.from)
      }
      for file in plan.surplus {
        try transaction.addSurplus(
          SurplusFile(nameHash: file.file.baseHash, contentHash: file.digest.contentHash),
          to: file.mailbox ?? 0)
      }
    }
    context.noteChange()
    for renamed in plan.renamedFiles {
      setDate(of: renamed.file, renamed.record.internalDate, context)
    }
  }

  /// Of new files that are each other's equals in one folder one was sent: the others are its surplus.
  func noteTwins(_ twins: [UnknownFile]) throws {
    for twin in twins {
      guard let mailbox = twin.mailbox,
        try state.contents(in: mailbox, among: [twin.digest.contentHash]).isEmpty == false
      else { continue }
      try state.transaction {
        try $0.addSurplus(
          SurplusFile(nameHash: twin.file.baseHash, contentHash: twin.digest.contentHash),
          to: mailbox)
      }
      context.noteChange()
    }
  }

  func setDate(of file: UnknownFile, _ date: Int64) { Self.setDate(of: file, date, context) }

  /// A file's time is its message's INTERNALDATE; failing that, nothing is lost.
  private static func setDate(of file: UnknownFile, _ date: Int64, _ context: AccountContext) {
    guard file.modified != date else { return }
    guard (try? context.folders.open(file.folder).setModified(date, of: file.file)) == nil,
      let folder = try? context.folders.local(at: file.folder)
    else { return }
    // A reader gave it other flags just now.
    _ = try? folder.withFile(file.file.base, lastFlags: file.marks.flags) {
      try folder.setModified(date, of: $0)
    }
  }
}

extension MessageRecord {
  /// The message is now this file; marks are as they were agreed.
  mutating func take(_ file: UnknownFile) {
    name = file.file.base
    size = file.size
    if file.marks.keywords.isEmpty {
      traits.remove(.hasKeywordsLine)
    } else {
      traits.insert(.hasKeywordsLine)
    }
  }
}
