import Ledger
import MailCore
import Maildir
import State
import SyncPlan

extension LocalFolder {
  /// What bringing the server's marks to a file came to.
  package enum MarkOutcome {
    /// The record to keep, and whether the file was touched.
    case applied(MessageRecord, touched: Bool)
    /// The file is not in this folder: moved or deleted by a person, which a push will carry out.
    case absent(MessageRecord)
  }

  /// Three-way merge of the server's marks into the file (promise 1).
  package func bring(_ remote: MessageMarks, to record: MessageRecord) throws -> MarkOutcome {
    let remote = policy.keywords.keeps ? remote : MessageMarks(flags: remote.flags)
    let keywordsMoved = remote.keywords != record.agreed.keywords
    let outcome = try withFile(of: record) { file in
      var local = MessageMarks(flags: file.fileName.flags, keywords: record.agreed.keywords)
      if keywordsMoved { local.keywords = try localKeywords(of: file, record: record) }
      let plan = MarkPlan.plan(agreed: record.agreed, local: local, remote: remote)
      var kept = record
      kept.name = file.base
      kept.agreed = plan.agreed
      kept.unappliedRemote = nil
      if keywordsMoved { try noteSize(of: file, &kept) }
      guard let wanted = plan.local else { return MarkOutcome.applied(kept, touched: false) }
      try apply(wanted, over: local, to: file, &kept)
      return .applied(kept, touched: true)
    }
    if let outcome { return outcome }
    var kept = record
    kept.unappliedRemote = remote == record.agreed ? nil : remote
    return .absent(kept)
  }

  /// The file may have these keywords already: a run died right after the rewrite, or a person set the same.
  /// A record with the old size would make the file look edited on every scan.
  private func noteSize(of file: MessageFile, _ record: inout MessageRecord) throws {
    guard case .header = policy.keywords else { return }
    let size = Int64(try folder.facts(file).size)
    guard size != record.size, record.contentHash != .unknown, try !isEdited(file, record) else {
      return
    }
    record.size = size
    record.traits.insert(.hasKeywordsLine)
  }

  /// Rewrites what differs: the keywords first, since that makes a new file, whose name the record takes.
  package func apply(
    _ wanted: MessageMarks, over local: MessageMarks, to file: MessageFile,
    _ record: inout MessageRecord
  ) throws {
    var file = file
    if wanted.keywords != local.keywords, policy.keywords.keeps {
      let isEdited = try isEdited(file, record)
      let change = try setKeywords(
        wanted.keywords, of: file, modified: isEdited ? nil : record.internalDate)
      file = change.file
      record.name = file.base
      if case .header = policy.keywords, !isEdited {
        record.traits.insert(.hasKeywordsLine)
        // As it was written: what a person does to it from now on is to be seen.
        if let size = change.size {
          record.size = Int64(size)
        } else {
          try setModified(record.internalDate, of: file)
          record.size = Int64(try folder.facts(file).size)
        }
      }
    }
    if wanted.flags != local.flags {
      let flagged = try setFlags(wanted.flags, of: file)
      // Its name would have grown too long. A crash before the state knows makes it a file with a new name, which a push
      // recognises by its content.
      if flagged.base != file.base { record.name = flagged.base }
    }
    forgetScan()
  }

  /// Whether a person changed more than keywords. Size and time tell where to look, the content decides; the record
  /// of an edited file keeps its size, so that the edit stays visible.
  package func isEdited(_ file: MessageFile, _ record: MessageRecord) throws -> Bool {
    let facts = try folder.facts(file)
    if Int64(facts.size) == record.size, facts.modified / 1_000_000_000 == record.internalDate {
      return false
    }
    return try holdsAnother(file, record)
  }

  /// The same for a file that is to go, so it is read: keywords that went and text that came may make up for each other
  /// in its size, and some programs keep its time.
  package func holdsAnother(_ file: MessageFile, _ record: MessageRecord) throws -> Bool {
    guard record.contentHash != .unknown else { return false }
    return try !record.isHeld(by: folder.digest(of: file, policy: policy))
  }

  /// Nothing of it waits for a push: neither flags nor keywords nor an edit. The file is read, because it is to go: a
  /// keyword of the same length changes neither size nor, with some readers, time.
  package func isAsAgreed(_ file: MessageFile, _ record: MessageRecord) throws -> Bool {
    guard file.fileName.flags == record.agreed.flags, record.unappliedRemote == nil else {
      return false
    }
    if try holdsAnother(file, record) { return false }
    return try !policy.keywords.keeps
      || localKeywords(of: file, record: record) == record.agreed.keywords
  }

  /// What the file shows now. Where the tree keeps no keywords, none in a file means nothing.
  package func marks(of file: MessageFile, _ record: MessageRecord) throws -> MessageMarks {
    MessageMarks(
      flags: file.fileName.flags,
      keywords: policy.keywords.keeps
        ? try localKeywords(of: file, record: record) : record.agreed.keywords)
  }

  package func localKeywords(of file: MessageFile, record: MessageRecord) throws -> Keywords {
    try folder.localKeywords(of: file, policy: policy)
      .set(beyond: record.nativeLabels, agreed: record.agreed.keywords)
  }
}

extension KeywordsStore {
  /// Whether letters in a file's name are about these: in another folder they mean other keywords, until a push has moved
  /// the message there, too.
  package func keepsLetters(for remote: MessageMarks, _ record: MessageRecord) -> Bool {
    guard case .dovecot = self else { return false }
    return !remote.keywords.isEmpty || !record.agreed.keywords.isEmpty
  }
}
