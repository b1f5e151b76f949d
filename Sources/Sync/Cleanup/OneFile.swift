import Foundation
import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// The file that stays of several which hold one message, with the marks of all.
struct OneFile {
  /// Names the file that stays.
  private(set) var record: MessageRecord
  private let flags: MessageFlags
  private var others: [Copy]

  private struct Copy {
    let file: MessageFile
    /// From before it was read.
    let facts: FileFacts
    let digest: MessageDigest
    let keywords: Keywords

    var base: [UInt8] { file.base }
    var flags: MessageFlags { file.fileName.flags }
    var rewritten: RewrittenName { RewrittenName(base) }
  }

  /// Chooses the file and gives it its marks. What makes the others go is ``removeOthers(in:)``.
  ///
  /// - Returns: nil where they are not one message's, or it cannot be told yet which one is to stay.
  /// - Throws: `vanished` where a reader changed one of them just now.
  init?(_ message: RepeatedMessage, _ scan: FolderScan, in folder: CleanedFolder) throws {
    let (record, local) = (message.record, folder.local)
    guard record.contentHash != 0, record.unappliedRemote == nil,
      record.traits.isDisjoint(with: [.pruned, .expunged, .differs, .outOfView])
    else { return nil }
    let name = XXH3.hash(record.name)
    let named = Self.whole(scan.all(hash: name).map { $0.file(base: record.name) }, record)
    let copies = try (named + message.others).map { file in
      try Copy(
        file: file, facts: local.folder.facts(file),
        digest: local.folder.digest(of: file, policy: local.policy),
        keywords: folder.marks(of: file, record).keywords)
    }
    guard copies.count > 1, !named.isEmpty,
      copies.allSatisfy({
        $0.facts.isRegularFile && $0.digest.contentHash == record.contentHash
          && $0.digest.headerHash == copies[0].digest.headerHash
      }), !copies.contains(where: { Self.mayBeUnseen($0, record, folder.mailbox) }),
      !Self.isUnderWay(copies),
      let wanted = Self.marks(
        of: Array(copies[..<named.count]), and: Array(copies[named.count...]), record, local.policy)
    else { return nil }
    let base = copies.map(\.base).min { Self.precedes($0, $1, record.uid, folder.mailbox) }
    guard
      let place = copies.indices.filter({ copies[$0].base == base })
        .max(by: { Self.fits(copies[$0], less: copies[$1], wanted) })
    else { return nil }
    let kept = copies[place]
    let marks = MessageMarks(flags: kept.flags, keywords: kept.keywords)
    self.record = try folder.named(record, kept.file, marks, in: local)
    flags = wanted.flags
    others = copies
    others.remove(at: place)
    if kept.facts.modified / 1_000_000_000 != record.internalDate {
      try local.setModified(record.internalDate, of: kept.file)
    }
    if wanted != marks {
      try local.apply(wanted, over: marks, to: kept.file, &self.record)
    }
  }

  // MARK: The one that stays

  /// The file that a pull made of this very message comes first: every machine that pulls has it, or gets it. Else the
  /// first by name; of one file the last rewrite.
  private static func precedes(
    _ one: [UInt8], _ other: [UInt8], _ uid: UID, _ mailbox: MailboxRecord
  ) -> Bool {
    let isOwn = [one, other].map { birth($0, in: mailbox)?.uid == uid }
    if isOwn[0] != isOwn[1] { return isOwn[0] }
    let originals = [one, other].map(RewrittenName.original)
    if originals[0] != originals[1] {
      return originals[0].lexicographicallyPrecedes(originals[1])
    }
    return RewrittenName(one).count > RewrittenName(other).count
  }

  private static func birth(_ base: [UInt8], in mailbox: MailboxRecord) -> BirthName? {
    guard let birth = BirthName(base: base), birth.isBorn(in: mailbox.mailboxName),
      birth.uidValidity.rawValue == mailbox.uidValidity
    else { return nil }
    return birth
  }

  /// Its name says that it is another message of this mailbox, which a pull is still to bring.
  private static func mayBeUnseen(
    _ copy: Copy, _ record: MessageRecord, _ mailbox: MailboxRecord
  ) -> Bool {
    guard let birth = birth(copy.base, in: mailbox), birth.uid != record.uid else { return false }
    return birth.uid.rawValue > mailbox.forwardCursor
  }

  /// The one that need not be renamed, or less.
  private static func fits(_ one: Copy, less other: Copy, _ wanted: MessageMarks) -> Bool {
    func rank(_ copy: Copy) -> (Int, Int, Int) {
      (
        copy.flags == wanted.flags ? 1 : 0, copy.file.subdirectory == .cur ? 1 : 0,
        copy.flags.rawValue.nonzeroBitCount
      )
    }
    return rank(one) < rank(other)
  }

  // MARK: Marks

  /// The files with the name that the record has. Of several those that lack a flag which was agreed stay beside the others,
  /// and nothing follows from them: perhaps it was taken off elsewhere, perhaps they were put back from before it was set.
  private static func whole(_ named: [MessageFile], _ record: MessageRecord) -> [MessageFile] {
    guard named.count > 1 else { return named }
    return named.filter { $0.fileName.flags.isSuperset(of: record.agreed.flags) }
  }

  /// Of files with one base name the last to come lacks a flag that another has: perhaps the flag was set and taken off
  /// elsewhere, and the old name is still to go. As long as a tree may be on its way, none of them goes.
  private static func isUnderWay(_ copies: [Copy]) -> Bool {
    let now = Int64(Date().timeIntervalSince1970)
    return Dictionary(grouping: copies, by: \.base).values.contains { files in
      guard let last = files.max(by: { $0.facts.changed < $1.facts.changed }),
        now - last.facts.changed / 1_000_000_000 < longestCarry
      else { return false }
      let flags = files.reduce(into: MessageFlags()) { $0.formUnion($1.flags) }
      return last.flags != flags && files.contains { $0.flags == flags }
    }
  }

  /// In seconds.
  private static let longestCarry: Int64 = 3600

  /// What was set in any of them counts. What was agreed and is lacking was taken off only where the message's own name
  /// lacks it: other files may be from before it was set.
  ///
  /// - Parameters:
  ///   - own: with the name that the record has.
  ///   - others: found beside these. Their \Deleted is not taken, as of no file that is only like a message.
  /// - Returns: nil where keyword letters may be about other keywords.
  private static func marks(
    of own: [Copy], and others: [Copy], _ record: MessageRecord, _ policy: MaildirPolicy
  ) -> MessageMarks? {
    var marks = MessageMarks(
      flags: own.reduce(into: []) { $0.formUnion($1.flags) },
      keywords: own.reduce(Keywords.none) { $0.union($1.keywords) })
    let name = RewrittenName(record.name)
    for copy in others {
      marks.flags.formUnion(copy.flags.subtracting(record.agreed.flags).subtracting(.deleted))
      switch policy.keywords {
      case .none: break
      case .dovecot:
        guard copy.file.fileName.keywordLetters == own[0].file.fileName.keywordLetters else {
          return nil
        }
      case .header:
        let isSameFile = copy.rewritten.stem == name.stem
        // From before its keywords were written.
        if isSameFile && copy.rewritten.count < name.count { continue }
        let theirs =
          isSameFile ? copy.keywords : record.agreed.keywords.union(copy.keywords)
        marks.keywords =
          MessageMarks.merged(
            agreed: record.agreed, local: MessageMarks(keywords: marks.keywords),
            remote: MessageMarks(keywords: theirs)
          ).keywords
      }
    }
    return marks
  }

  // MARK: The others

  /// Each is read once more, and so is the one that stays: what is not what it was stays beside it.
  ///
  /// - Parameter scan: of the folder with the file as it is now.
  /// - Returns: the base names of those that went, by hash.
  func removeOthers(_ scan: FolderScan, in folder: CleanedFolder) throws -> [UInt64] {
    let kept = scan.all(hash: XXH3.hash(record.name)).map { $0.file(base: record.name) }
      .first { file in file.fileName.flags == flags && !others.contains { $0.file == file } }
    guard let kept else { return [] }
    var gone: [UInt64] = []
    for copy in others {
      do {
        if try remove(copy, besides: kept, in: folder.local) { gone.append(copy.file.baseHash) }
      } catch let error as MaildirError where !error.stopsRun {
        continue  // A reader changed it just now.
      }
    }
    return gone
  }

  private func remove(_ copy: Copy, besides kept: MessageFile, in local: LocalFolder) throws
    -> Bool
  {
    let stays = try local.folder.facts(kept)
    guard
      try local.folder.digest(of: kept, policy: local.policy).contentHash == record.contentHash
    else { return false }
    let now = try local.folder.facts(copy.file)
    // What is done to a file shows in the facts of its other name, too.
    let isOneFile = now.inode == stays.inode && now.device == stays.device
    guard
      try isOneFile
        || now.isUntouched(since: copy.facts)
          && local.folder.digest(of: copy.file, policy: local.policy) == copy.digest
    else { return false }
    try local.unlink(copy.file, asSeen: now)
    return true
  }
}
