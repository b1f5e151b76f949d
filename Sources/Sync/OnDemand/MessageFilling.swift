import IMAPWire
import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import SyncPlan

/// Makes stubs of one mailbox whole: the file becomes the server's message, with the flags, the keywords and the place
/// that it has at that moment.
///
/// What has come of a message is kept beside the state, so that the next run goes on at that byte. The
/// record says that the message is wanted until it says that the file is whole: a run that dies in between is followed by
/// one that finds the file as it is.
struct MessageFilling {
  let context: AccountContext
  let mailbox: MailboxRecord
  private let writer: DeliveryWriter
  private var files: OnDemandFiles { OnDemandFiles(context: context) }

  init(context: AccountContext, mailbox: MailboxRecord) {
    self.context = context
    self.mailbox = mailbox
    writer = DeliveryWriter(policy: context.policy)
  }

  private var id: MailboxKey { mailbox.id }

  /// What has come of a message lies in a file of this name.
  static func partName(_ uid: UID, in mailbox: MailboxRecord) -> String {
    "\(mailbox.id)-\(mailbox.uidValidity)-\(uid.rawValue)"
  }

  /// - Returns: bytes of the message; nil where the file was whole already.
  /// - Throws: ``OnDemandError`` where the message stays a stub, and others can still be filled.
  func fill(_ record: MessageRecord, _ remote: borrowing OpenMailbox) throws -> Int64? {
    do {
      return try fillWhole(record, remote)
    } catch let error as MaildirError where error.isShortage {
      // Others need less, and new mail needs the room.
      writer.abandon()
      try? PartialFile.discard(Self.partName(record.uid, in: mailbox), in: context.tree)
      throw OnDemandError.noRoom(record.fileName, size: record.serverSize, free: error.free)
    }
  }

  private func fillWhole(_ record: MessageRecord, _ remote: borrowing OpenMailbox) throws -> Int64?
  {
    var place = try files.place(of: record, in: id)
    if try isWhole(place, record) { return nil }
    let partial = try PartialFile.open(Self.partName(record.uid, in: mailbox), in: context.tree)
    if let (_, free) = partial.shortage(of: record.serverSize, in: place.local.folder) {
      try partial.remove()
      throw OnDemandError.noRoom(record.fileName, size: record.serverSize, free: free)
    }
    try fetch(record, at: place, into: partial, remote)
    for attempt in 1...3 {
      do {
        try put(partial, in: place, record)
        let bytes = Int64(partial.count)
        try partial.remove()
        return bytes
      } catch MaildirError.vanished where attempt < 3 {
        // A reader changed its flags just now.
        place = try files.place(of: record, in: id)
        if try isWhole(place, record) { return nil }
      } catch MaildirError.vanished {
        break
      }
    }
    throw OnDemandError.fileChanged(record.fileName)
  }

  /// Whether a run that was cut off has done it already; a push may have seen that since.
  private func isWhole(_ place: OnDemandFiles.Place, _ record: MessageRecord) throws -> Bool {
    // Also where a reader put a line above that of the stub.
    if record.isStub, place.digest.contentHash == record.contentHash { return false }
    guard !place.digest.isStub else { throw OnDemandError.edited(record.fileName) }
    guard record.isHeld(by: place.digest) else {
      throw OnDemandError.fileChanged(record.fileName)
    }
    try files.commit(
      record, in: id, as: place.file, place.digest, size: place.seen.size,
      keywords: files.keywords(at: place, of: record))
    return true
  }

  // MARK: Fetching

  private func fetch(
    _ record: MessageRecord, at place: OnDemandFiles.Place, into partial: PartialFile,
    _ remote: borrowing OpenMailbox
  ) throws {
    if Int64(partial.count) > record.serverSize { try partial.cut(to: 0) }
    let refusal: String?
    do {
      let (isWhole, words) = try fetch(record, into: partial, takesRanges: true, remote)
      if isWhole { return }
      refusal = words
    } catch {
      try? partial.sync()
      throw error
    }
    try partial.cut(to: 0)
    do {
      let (isWhole, words) = try fetch(record, into: partial, takesRanges: false, remote)
      if isWhole, try isBelieved(partial, as: record, place) { return }
      let got = Int64(partial.count)
      try partial.remove()
      if isWhole {
        throw OnDemandError.incomplete(record.fileName, got: got, of: record.serverSize)
      }
      if try remote.existing(UIDSet([record.uid])).isEmpty {
        throw OnDemandError.expunged(record.fileName)
      }
      if let words = words ?? refusal { throw OnDemandError.refused(record.fileName, words: words) }
      throw OnDemandError.incomplete(record.fileName, got: got, of: record.serverSize)
    } catch {
      // A server that knows no ranges cannot go on from here.
      try? partial.cut(to: 0)
      throw error
    }
  }

  private func fetch(
    _ record: MessageRecord, into partial: PartialFile, takesRanges: Bool,
    _ remote: borrowing OpenMailbox
  ) throws -> (isWhole: Bool, refusal: String?) {
    let sink = RangeSink(
      record.uid, size: record.serverSize, into: partial, takesRanges: takesRanges,
      checkInterrupt: { try context.checkInterrupt() })
    try remote.fetch(sections: { sink.next() }, into: sink)
    if sink.isLimited, let words = sink.refusal {
      throw OnDemandError.limited(record.fileName, words: words)
    }
    return (sink.isWhole, sink.refusal)
  }

  /// Whether what came at one go is all of the message: as long as was announced, or else, where servers count wrong, of
  /// the shape that the stub tells. What something on the way cut off is not.
  private func isBelieved(
    _ partial: PartialFile, as record: MessageRecord, _ place: OnDemandFiles.Place
  ) throws -> Bool {
    if Int64(partial.count) == record.serverSize { return true }
    var stub = MessageBuffer()
    guard try stub.read(place.file, in: place.local.folder) != nil else {
      throw OnDemandError.fileChanged(record.fileName)
    }
    let completion = StubCompletion(of: stub.bytes)
    return try partial.withBytes {
      completion.fits($0, serverCountsWrong: context.serverCountsWrong)
    }
  }

  // MARK: Writing

  private func put(_ partial: PartialFile, in place: OnDemandFiles.Place, _ record: MessageRecord)
    throws
  {
    let keywords = try files.keywords(at: place, of: record)
    writer.begin(in: place.local.folder, keywords: keywords)
    try partial.read { bytes throws(MaildirError) in try writer.write(bytes) }
    var kept: String?
    do {
      try files.replace(place, of: record, in: id, by: writer, keywords: keywords) {
        kept = try KeptStub(context: context).keep(place, of: record, keywords, besides: partial)
      }
    } catch let error as OnDemandError {
      // Nothing of it is the message's.
      try partial.remove()
      throw error
    }
    if let kept { context.note(RunProblem(OnDemandError.keptBeside(kept), mailbox: mailbox.name)) }
  }
}

extension MaildirError {
  /// Bytes that were left.
  fileprivate var free: UInt64 { if case .noSpace(_, _, let free) = self { free } else { 0 } }
}
