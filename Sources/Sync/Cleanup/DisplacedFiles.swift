import Ledger
import LocalChanges
import MailCore
import Maildir
import State

/// Files of messages that the server has no longer where a tree that came back has them, and that do not lie there either: a
/// person moved them, before the tree came back or since. By its old name, else under one that a reader gave it, such a file
/// may lie in another folder.
struct DisplacedFiles {
  let context: AccountContext
  /// As they were called.
  let displaced: [SurplusFile]

  private typealias Candidate = (mailbox: MailboxKey, file: SurplusFile)

  /// - Returns: of the files that may be these, those whose message the server has in another mailbox than they lie in.
  func find(among records: [MailboxRecord]) throws -> [MailboxKey: [SurplusFile]] {
    guard !displaced.isEmpty else { return [:] }
    // One file each: any other is a copy, and is sent.
    var left = Dictionary(displaced.map { ($0.contentHash, 1) }, uniquingKeysWith: +)
    let names = Set(displaced.map(\.nameHash))
    var renamed: [Candidate] = []
    var found: [MailboxKey: [SurplusFile]] = [:]
    func take(_ one: Candidate) {
      guard let count = left[one.file.contentHash], count > 0 else { return }
      left[one.file.contentHash] = count - 1
      found[one.mailbox, default: []].append(one.file)
    }
    for record in records where !record.isGone && record.isSettled {
      try context.sparing(record.name) {
        for file in try candidates(in: record.id, names: names, contents: Set(left.keys)) {
          if names.contains(file.nameHash) {
            take((record.id, file))
          } else {
            renamed.append((record.id, file))
          }
        }
      }
    }
    for one in renamed where try !isFoundAlready(one.file.contentHash) { take(one) }
    return found
  }

  /// A message took a file with this content that lay here: that is the one which was moved, and any other a copy.
  private func isFoundAlready(_ content: ContentHash) throws -> Bool {
    try context.state.copies(ofContent: content).contains { $0.message.traits.contains(.adopted) }
  }

  private func candidates(in mailbox: MailboxKey, names: Set<NameHash>, contents: Set<ContentHash>)
    throws
    -> [SurplusFile]
  {
    guard let local = try context.folders.local(ofMailbox: mailbox) else { return [] }
    let otherPlace = OtherPlace(context)
    let unknown = try local.folder.files(besides: context.state.hashesOfNames(in: mailbox))
    return try unknown.compactMap { file in
      // A name that a pull gave it tells what it is by itself.
      guard names.contains(file.baseHash) || BirthName(base: file.base) == nil,
        let digest = try local.digest(of: file), contents.contains(digest.contentHash),
        try otherPlace.holds(digest, besides: mailbox, countsStubs: true)
      else { return nil }
      return SurplusFile(file, digest)
    }
  }
}
