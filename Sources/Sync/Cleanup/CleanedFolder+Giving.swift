import Ledger
import LocalChanges
import MailCore
import Maildir
import State

extension CleanedFolder {
  /// The message becomes a person's file, with the marks of both; the pull's own file of it goes first. Cut off in
  /// between, a push finds the message moved all the same, by its content.
  ///
  /// - Parameter record: what was known of the message that the file is.
  /// - Returns: false where either is not what it was.
  func give(
    _ copy: MessageRecord, of mailbox: MailboxRecord, to file: MessageFile, at path: FolderPath,
    _ record: MessageRecord
  ) throws -> Bool {
    guard let home = try context.folders.local(ofMailbox: mailbox.id) else { return false }
    let place = try context.folders.local(at: path)
    let kept = try place.withFile(file) { file in
      try home.withFile(of: copy) { twin -> MessageRecord? in
        let seen = try home.folder.facts(twin)
        // Letters mean something by the table of their folder, and may be about keywords of three.
        guard try !place.holdsAnother(file, record) && !home.holdsAnother(twin, copy),
          !context.policy.keywords.keepsLetters(for: copy.agreed, record)
        else { return nil }
        let mine = try place.marks(of: file, record)
        let wanted = MessageMarks.merged(
          agreed: record.agreed, local: mine, remote: try home.marks(of: twin, copy))
        var kept = try named(copy, file, mine, in: place)
        let facts = try place.folder.facts(file)
        let isOneFile = facts.inode == seen.inode && facts.device == seen.device
        if wanted != mine { try place.apply(wanted, over: mine, to: file, &kept) }
        // What is done to a file shows in the facts of its other name, too.
        try home.unlink(twin, asSeen: isOneFile ? home.folder.facts(twin) : seen)
        return kept
      } ?? nil
    }
    guard let kept = kept ?? nil else { return false }
    for folder in [place, home] { try folder.sync() }
    try context.write { try $0.put(kept, in: mailbox.id) }
    // Where it lies, and what it is marked with, is a person's change still.
    context.leavesPush = true
    return true
  }

  private func named(
    _ copy: MessageRecord, _ file: MessageFile, _ marks: MessageMarks, in folder: LocalFolder
  ) throws -> MessageRecord {
    var record = copy
    record.name = file.base
    record.size = Int64(try folder.folder.facts(file).size)
    record.traits.remove(.hasKeywordsLine)
    if context.policy.keywords.line != nil,
      try !marks.keywords.isEmpty
        || folder.folder.localKeywords(of: file, policy: context.policy).own != nil
    {
      record.traits.insert(.hasKeywordsLine)
    }
    return record
  }
}
