import MailCore
import Maildir
import SyncPlan

/// Pure: what the keyword letters of a file mean that came from another folder.
///
/// Letters mean something only by the `dovecot-keywords` of their folder. `mv` and most readers leave those of the
/// folder that the file came from; Dovecot and this program's own commands give it those of the folder where it is now.
struct LetterReading {
  /// Of the folder that it came from; nil where that is gone.
  var before: DovecotKeywords?
  var now: DovecotKeywords

  /// As they were, if that is what the old table tells; else by the table that has a name for each letter, then by the
  /// one that changes less of what was agreed.
  func keywords(of letters: KeywordLetters, agreed: Keywords) -> Keywords {
    // What could get a letter here would have one, had it come along.
    let here = now.keywords(of: letters).union(now.leftOut(of: agreed))
    guard let before else {
      // As many as before are those of before: nothing is taken off on the server by a guess.
      return Array(letters.indices).count == agreed.count ? agreed : here
    }
    let there = before.keywords(of: letters, agreed: agreed)
    if there == agreed { return there }
    if now.names(letters) != before.names(letters) { return now.names(letters) ? here : there }
    return there.distance(to: agreed) <= here.distance(to: agreed) ? there : here
  }

  /// Whether a file with these letters is as its folder had it when these keywords were agreed.
  func isUntouched(_ letters: KeywordLetters, agreed: Keywords) -> Bool {
    before.map { $0.names(letters) && $0.keywords(of: letters, agreed: agreed) == agreed } ?? false
  }
}

extension DovecotKeywords {
  fileprivate func names(_ letters: KeywordLetters) -> Bool {
    letters.indices.allSatisfy { $0 < names.count && names[$0] != nil }
  }
}

extension Keywords {
  fileprivate func distance(to other: Keywords) -> Int {
    subtracting(other).count + other.subtracting(self).count
  }
}

extension ScanPass {
  func keywords(ofMoved file: UnknownFile, from mailbox: Int64, agreed: Keywords) throws -> Keywords
  {
    try letterReading(of: file, from: mailbox)
      .keywords(of: file.file.fileName.keywordLetters, agreed: agreed)
  }

  /// What has other letters than it had may be a copy of its like in a third folder, which has these.
  func readLetters(ofMoved moved: inout [MovedMessage]) throws {
    guard case .dovecot = finder.policy.keywords else { return }
    let places = try moved.indices.filter { place in
      let (move, letters) = (moved[place], moved[place].file.file.fileName.keywordLetters)
      return try !letters.isEmpty
        && !letterReading(of: move.file, from: move.from)
          .isUntouched(letters, agreed: move.record.agreed.keywords)
    }
    let hashes = Set(places.map { moved[$0].file.digest.contentHash })
    guard !hashes.isEmpty else { return }
    for mailbox in finder.mailboxes.compactMap(\.id) {
      let held = try finder.state.contents(in: mailbox, among: hashes)
      for place in places where moved[place].from != mailbox && moved[place].file.mailbox != mailbox
      {
        let file = moved[place].file
        let uids = held[file.digest.contentHash] ?? []
        if let keywords = try keywords(ofCopy: file, of: uids, in: mailbox) {
          moved[place].file.marks.keywords = keywords
        }
      }
    }
  }

  /// A copy that has the letters of the message that it repeats has that message's keywords.
  func readLetters(ofCopies files: inout [UnknownFile]) throws {
    guard case .dovecot = finder.policy.keywords else { return }
    let places = files.indices.filter { !files[$0].file.fileName.keywordLetters.isEmpty }
    let hashes = Set(places.map { files[$0].digest.contentHash })
    guard !hashes.isEmpty else { return }
    for mailbox in finder.mailboxes.compactMap(\.id) {
      let held = try finder.state.contents(in: mailbox, among: hashes)
      for place in places where files[place].mailbox != mailbox {
        let uids = held[files[place].digest.contentHash] ?? []
        if let keywords = try keywords(ofCopy: files[place], of: uids, in: mailbox) {
          files[place].marks.keywords = keywords
        }
      }
    }
  }

  private func keywords(ofCopy file: UnknownFile, of uids: [UID], in mailbox: Int64) throws
    -> Keywords?
  {
    guard !uids.isEmpty else { return nil }
    let reading = try letterReading(of: file, from: mailbox)
    let letters = file.file.fileName.keywordLetters
    return try uids.lazy.compactMap { try finder.state.message(in: mailbox, $0) }
      .first {
        $0.headerHash == file.digest.headerHash
          && reading.isUntouched(letters, agreed: $0.agreed.keywords)
      }?.agreed.keywords
  }

  private func letterReading(of file: UnknownFile, from mailbox: Int64) throws -> LetterReading {
    let origin = try finder.mailboxes.first { $0.id == mailbox }?.folderPath()
    return LetterReading(
      before: try origin.flatMap { stamps[$0] == nil ? nil : try letterTable(of: $0) },
      now: try letterTable(of: file.folder))
  }

  private func letterTable(of folder: FolderPath) throws -> DovecotKeywords {
    try DovecotKeywords.read(in: MaildirFolder.open(folder, in: finder.tree))
  }
}
