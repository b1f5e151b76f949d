import Ledger
import LocalChanges
import MailCore
import Maildir
import SyncPlan

/// Finds the files of messages that are to be filled, or made stubs, and records what became of them.
struct OnDemandFiles {
  let context: AccountContext

  /// Where a message's file lies now: in its own folder, or where a person moved it.
  struct Place {
    let local: LocalFolder
    let file: MessageFile
    let seen: FileFacts
    let digest: MessageDigest
  }

  /// - Throws: ``OnDemandError/moved(_:)`` where it lies nowhere under its name.
  func place(of record: MessageRecord, in mailbox: MailboxKey) throws -> Place {
    for _ in 0..<3 {
      guard let (local, file) = try find(record, in: mailbox) else { break }
      do throws(MaildirError) {
        let seen = try local.folder.facts(file)
        return Place(
          local: local, file: file, seen: seen,
          digest: try local.folder.digest(of: file, policy: context.policy))
      } catch {
        guard case .vanished = error else { throw error }
      }
    }
    throw OnDemandError.moved(record.fileName)
  }

  private func find(_ record: MessageRecord, in mailbox: MailboxKey) throws -> (
    LocalFolder, MessageFile
  )? {
    let home = try context.folders.local(ofMailbox: mailbox)
    if let home, let file = try home.file(of: record) {
      return (home, file)
    }
    if let home, let file = try rewritten(record, in: home) { return (home, file) }
    let hash = NameHash(of: record.name)
    guard let homePath = try context.state.mailbox(mailbox)?.folder,
      let path = try context.folders.places(ofFiles: [hash], except: homePath)[hash]
    else { return nil }
    let other = try context.folders.local(at: path)
    return try other.file(of: record).map { (other, $0) }
  }

  /// A run that was cut off has put another file in its place, under the next name.
  private func rewritten(_ record: MessageRecord, in local: LocalFolder) throws -> MessageFile? {
    let own = RewrittenName(record.name)
    var found: MessageFile?
    try FolderScan.forEachFile(in: local.folder) { file in
      if own.isEarlier(than: file.base) { found = file }
    }
    return found
  }

  /// The keywords that the file shows now.
  func keywords(at place: Place, of record: MessageRecord) throws -> Keywords {
    guard case .header = context.policy.keywords else { return .none }
    return try place.local.localKeywords(of: place.file, record: record)
  }

  /// Replaces a message's file by what the writer holds of it, all of it or a stub.
  ///
  /// - Parameters:
  ///   - keywords: that the file has now.
  ///   - last: what is to be done before the file goes; it stays where this throws.
  /// - Throws: ``OnDemandError/otherMessage(_:)`` where the writer has another message.
  func replace(
    _ place: Place, of record: MessageRecord, in mailbox: MailboxKey, by writer: DeliveryWriter,
    keywords: Keywords, last: () throws -> Void = {}
  ) throws {
    let staged = try writer.finish(
      replacing: place.file, asSeen: place.seen, keywords: keywords,
      internalDate: record.internalDate)
    do {
      guard staged.digest.headerHash == record.headerHash else {
        throw OnDemandError.otherMessage(record.fileName)
      }
      try last()
    } catch {
      staged.discard()
      throw error
    }
    let (file, size) = try staged.replace(policy: context.policy)
    place.local.forgetScan()
    try commit(record, in: mailbox, as: file, staged.digest, size: size, keywords: keywords)
  }

  /// The file holds this much of the message from now on.
  func commit(
    _ record: MessageRecord, in mailbox: MailboxKey, as file: MessageFile, _ digest: MessageDigest,
    size: UInt64, keywords: Keywords
  ) throws {
    var record = record
    record.name = file.base
    record.contentHash = digest.contentHash
    record.serverSize = Int64(clamping: digest.serverSize)
    record.size = Int64(clamping: size)
    record.traits.subtract([
      .stub, .wanted, .filled, .leavingParts, .keptAsItCame, .hasKeywordsLine, .adopted, .differs,
    ])
    record.traits.insert(digest.isStub ? .stub : .filled)
    if digest.asCame { record.traits.insert(.keptAsItCame) }
    if !keywords.isEmpty { record.traits.insert(.hasKeywordsLine) }
    try put(record, in: mailbox)
  }

  func put(_ record: MessageRecord, in mailbox: MailboxKey) throws {
    try context.write { try $0.put(record, in: mailbox) }
  }
}

extension MessageRecord {
  /// As people are told of it.
  var fileName: String { String(decoding: name, as: UTF8.self) }
}
