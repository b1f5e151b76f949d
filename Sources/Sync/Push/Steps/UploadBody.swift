import IMAPWire
import Ledger
import Maildir
import SyncPlan

/// A new message as the server is to get it.
///
/// Yahoo refuses a message whose last line does not end: it gets the line end on the way, the file stays as it is.
/// ``DigestProbe/Found/holds(_:)`` knows it again.
struct UploadBody: PushPart {
  let desk: PushDesk

  /// The message as the server is to get it; nil where it went away, or cannot be sent.
  func body(of upload: PushPlan.PlannedUpload, in mailbox: MailboxKey) throws -> AppendBody? {
    let file = upload.file
    // A copy that the server did not make: only a part of the message would be sent.
    if file.digest.isStub || file.part != nil {
      count(.waiting, mailbox, detail: PushPlan.WaitingChanges.Reason.stub.words)
      return nil
    }
    if let limit = session.capabilities.appendLimit, file.digest.serverSize > UInt64(limit) {
      tell(
        mailbox,
        "“\(file.file.description.visible)” has \(file.digest.serverSize) bytes, and the server takes "
          + "\(limit): it stays here.")
      count(.waiting, mailbox, detail: "too large")
      return nil
    }
    let folder = try context.folders.open(file.folder)
    let policy = policy
    do throws(MaildirError) {
      if file.digest.serverSize <= 1 << 20 {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(file.digest.serverSize))
        try folder.readServerBytes(of: file.file, asCame: file.digest.asCame, policy: policy) {
          bytes.append(contentsOf: $0)
        }
        // It changed since it was looked at: the next run sees it as it is.
        guard bytes.count == Int(file.digest.serverSize) else { return nil }
        return .bytes(bytes + missingLineEnd(after: bytes.last))
      }
      _ = try folder.facts(file.file)
    } catch {
      if case .vanished = error { return nil }
      throw error
    }
    let message = file.file
    let asCame = file.digest.asCame
    let lineEnd = try missingLineEnd(of: file, in: folder)
    return .stream(
      IMAPCommand.Source(size: Int(file.digest.serverSize) + lineEnd.count) { sink in
        var failure: (any Error)?
        try folder.readServerBytes(of: message, asCame: asCame, policy: policy) { bytes in
          guard failure == nil else { return }
          do { try sink(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
        if !lineEnd.isEmpty { try lineEnd.withUnsafeBytes(sink) }
      })
  }

  /// - Parameter last: the last byte of what is sent.
  private func missingLineEnd(after last: UInt8?) -> [UInt8] {
    session.quirks.contains(.finalLineEnd) && last != 10 ? [13, 10] : []
  }

  /// Reads all of it, where the server is such a one: how long the message is must be known before it is sent.
  private func missingLineEnd(of file: UnknownFile, in folder: MaildirFolder) throws -> [UInt8] {
    guard session.quirks.contains(.finalLineEnd) else { return [] }
    var last: UInt8?
    try folder.readServerBytes(of: file.file, asCame: file.digest.asCame, policy: policy) {
      last = $0.last ?? last
    }
    return missingLineEnd(after: last)
  }
}
