import Ledger
import MailCore
import Maildir
import State
import SyncPlan

/// What the keyword letters of moved and copied files mean, by the tables of the folders that they came from.
struct MovedLetters {
  let seen: SeenTree

  func keywords(ofMoved file: UnknownFile, from mailbox: MailboxKey, agreed: Keywords) throws
    -> Keywords
  {
    try letterReading(of: file, from: mailbox)
      .keywords(of: file.file.fileName.keywordLetters, agreed: agreed)
  }

  /// A file with other letters than before may be a copy of an equal file in a third folder, which has these letters.
  func read(ofMoved moved: inout [MovedMessage]) throws {
    guard case .dovecot = seen.scope.policy.keywords else { return }
    let places = try moved.indices.filter { place in
      let (move, letters) = (moved[place], moved[place].file.file.fileName.keywordLetters)
      return try !letters.isEmpty
        && !letterReading(of: move.file, from: move.from)
          .isUntouched(letters, agreed: move.record.agreed.keywords)
    }
    let hashes = Set(places.map { moved[$0].file.digest.contentHash })
    guard !hashes.isEmpty else { return }
    for mailbox in seen.scope.mailboxes.map(\.id) {
      let held = try seen.scope.state.contents(in: mailbox, among: hashes)
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
  func read(ofCopies files: inout [UnknownFile]) throws {
    guard case .dovecot = seen.scope.policy.keywords else { return }
    let places = files.indices.filter { !files[$0].file.fileName.keywordLetters.isEmpty }
    let hashes = Set(places.map { files[$0].digest.contentHash })
    guard !hashes.isEmpty else { return }
    for mailbox in seen.scope.mailboxes.map(\.id) {
      let held = try seen.scope.state.contents(in: mailbox, among: hashes)
      for place in places where files[place].mailbox != mailbox {
        let uids = held[files[place].digest.contentHash] ?? []
        if let keywords = try keywords(ofCopy: files[place], of: uids, in: mailbox) {
          files[place].marks.keywords = keywords
        }
      }
    }
  }

  private func keywords(ofCopy file: UnknownFile, of uids: [UID], in mailbox: MailboxKey) throws
    -> Keywords?
  {
    guard !uids.isEmpty else { return nil }
    let reading = try letterReading(of: file, from: mailbox)
    let letters = file.file.fileName.keywordLetters
    return try uids.lazy.compactMap { try seen.scope.state.message(in: mailbox, $0) }
      .first {
        $0.headerHash == file.digest.headerHash
          && reading.isUntouched(letters, agreed: $0.agreed.keywords)
      }?.agreed.keywords
  }

  private func letterReading(of file: UnknownFile, from mailbox: MailboxKey) throws -> LetterReading
  {
    let origin = seen.scope.mailboxes.first { $0.id == mailbox }?.folder
    return LetterReading(
      before: try origin.flatMap { seen.stamps[$0] == nil ? nil : try letterTable(of: $0) },
      now: try letterTable(of: file.folder))
  }

  private func letterTable(of folder: FolderPath) throws -> DovecotKeywords {
    try DovecotKeywords.read(in: MaildirFolder.open(folder, in: seen.scope.tree))
  }
}
