import Ledger
import MailCore
import Maildir
import State
import SyncPlan

/// Finds files that are copies of messages in other mailboxes: the server copies them by itself, and nothing is sent.
struct CopyPlan {
  let state: StateStore
  let mailboxes: [MailboxRecord]
  let stubs: StubComparison

  func refined(_ plan: PushPlan) throws -> PushPlan {
    guard !plan.uploads.isEmpty else { return plan }
    let moved = Dictionary(
      plan.moves.map { (MessageKey(mailbox: $0.from, uid: $0.record.uid), $0.to) },
      uniquingKeysWith: { first, _ in first })
    let sources = try sources(of: plan.uploads)
    var plan = plan
    for index in plan.uploads.indices {
      let keys = (sources[index] ?? []).map(\.key)
      // What is moved comes first: then it lies there.
      plan.uploads[index].source =
        keys.first { moved[$0] == nil }
        ?? keys.lazy.compactMap { key in
          (moved[key] ?? nil).map { MessageKey(mailbox: $0, uid: key.uid) }
        }.first { $0.mailbox != plan.uploads[index].mailbox }
    }
    return plan
  }

  /// Marks new files of which parts are missing where the server has the whole message in another mailbox.
  func markCopies(among files: inout [UnknownFile]) throws {
    var places: [Int] = []
    var uploads: [PushPlan.PlannedUpload] = []
    for (place, file) in files.enumerated() where file.part != nil {
      guard let mailbox = file.mailbox else { continue }
      places.append(place)
      uploads.append(PushPlan.PlannedUpload(mailbox: mailbox, file: file))
    }
    guard !uploads.isEmpty else { return }
    let sources = try sources(of: uploads)
    for (number, place) in places.enumerated() where sources[number]?.isEmpty == false {
      files[place].part?.isCopied = true
    }
  }

  struct Source {
    var key: MessageKey
    var record: MessageRecord
  }

  /// By the place in `uploads`; the content of file and message is the same, canonically.
  func sources(of uploads: [PushPlan.PlannedUpload]) throws -> [Int: [Source]] {
    let wanted = uploads.enumerated().filter {
      $0.element.replaces == nil && $0.element.file.digest.contentHash != .unknown
    }
    let hashes = Set(wanted.map(\.element.file.digest.contentHash))
    guard !hashes.isEmpty else { return [:] }
    var found: [ContentHash: [MessageKey]] = [:]
    for id in mailboxes.filter(\.isMatched).map(\.id) {
      for (hash, uids) in try state.contents(in: id, among: hashes) {
        found[hash, default: []] += uids.map { MessageKey(mailbox: id, uid: $0) }
      }
    }
    // What Gmail has in Trash or Spam it would take out of there.
    let exclusive = Set(mailboxes.filter(\.isTrashOrJunk).map(\.id))
    var sources = try sourcesOfStubs(wanted.map { ($0.offset, $0.element) })
    for (place, upload) in wanted where !upload.file.digest.isStub {
      for key in found[upload.file.digest.contentHash] ?? [] where key.mailbox != upload.mailbox {
        guard let record = try state.message(in: key.mailbox, key.uid),
          record.headerHash == upload.file.digest.headerHash, record.isAsServerHasIt,
          record.gmailIdentity == nil || !exclusive.contains(key.mailbox)
        else { continue }
        sources[place, default: []].append(Source(key: key, record: record))
      }
    }
    return sources
  }

  /// A stub is the copy of a message with its header and size, whatever form that has here: one that is whole here has
  /// all that is in it, or a person wrote into it. Of several that may differ in what is not here, the file's name has to
  /// tell.
  private func sourcesOfStubs(_ uploads: [(place: Int, upload: PushPlan.PlannedUpload)]) throws
    -> [Int: [Source]]
  {
    let stubs = uploads.filter { $0.upload.file.digest.isStub }
    guard !stubs.isEmpty else { return [:] }
    let headers = Set(stubs.map(\.upload.file.digest.headerHash))
    var known: [HeaderHash: [Source]] = [:]
    for id in mailboxes.filter(\.isMatched).map(\.id) {
      try state.forEachMessage(in: id) { record in
        guard headers.contains(record.headerHash), !record.isPruned,
          !record.traits.contains(.expunged)
        else { return }
        known[record.headerHash, default: []].append(
          Source(key: MessageKey(mailbox: id, uid: record.uid), record: record))
      }
    }
    var sources: [Int: [Source]] = [:]
    for (place, upload) in stubs {
      let digest = upload.file.digest
      let equals = (known[digest.headerHash] ?? []).filter {
        $0.record.contentHash == digest.contentHash || $0.record.isOtherForm(digest)
      }
      let isCertain =
        Set(equals.map(\.record.wholeIdentity)).count == 1
        && equals.first?.record.wholeIdentity != nil
      let meant =
        equals.count == 1 || isCertain
        ? equals
        : equals.filter {
          RewrittenName($0.record.name).stem == RewrittenName(upload.file.file.base).stem
        }
      sources[place] = try meant.filter { source in
        guard source.key.mailbox != upload.mailbox, source.record.isAsServerHasIt else {
          return false
        }
        if source.record.contentHash == digest.contentHash { return true }
        guard let home = mailboxes.first(where: { $0.id == source.key.mailbox }) else {
          return false
        }
        return try self.stubs.isNoMore(upload.file, than: source.record, in: home)
      }
    }
    return sources
  }
}

extension MessageRecord {
  /// Equal for messages that are the same in every part; nil where that is not known.
  fileprivate var wholeIdentity: String? {
    identity ?? (isStub ? nil : "c\(contentHash)")
  }
}

extension MessageRecord {
  /// The server's message is known to be this content: a file that was adopted by its header may be another's work.
  fileprivate var isAsServerHasIt: Bool {
    traits.isDisjoint(with: [.adopted, .differs, .outOfView])
      || gmailIdentity != nil && traits.isDisjoint(with: [.differs, .outOfView])
  }
}
