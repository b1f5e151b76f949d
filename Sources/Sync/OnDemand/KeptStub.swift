import Ledger
import LocalChanges
import MIME
import MailCore
import Maildir
import SyncPlan

/// Keeps a stub that is about to make way for its whole message, where a person may have written into it.
///
/// Of a stub that a pull or `mirror stub` wrote the ledger knows the content: an edit shows by it, and such a file is not
/// filled. One that was found may have been edited before.
struct KeptStub {
  let context: AccountContext

  /// - Parameter whole: the message, as the server sent it.
  /// - Returns: the file that has what was in the stub, for people; nil where that has nothing which the message has not.
  func keep(
    _ place: OnDemandFiles.Place, of record: MessageRecord, _ keywords: Keywords,
    besides whole: PartialFile
  ) throws -> String? {
    guard record.traits.contains(.adopted) else { return nil }
    var stub = MessageBuffer()
    guard try stub.read(place.file, in: place.local.folder) != nil else {
      throw MaildirError.vanished(name: place.file.description)
    }
    let bytes = stub.bytes
    guard try !whole.withBytes({ StubContent.isNoMore(bytes, than: $0) }) else { return nil }
    let (base, file) = try free(place)
    if let file { return file.description }
    var batch = DeliveryBatch(policy: context.policy)
    // No link: another name of the file would change its facts.
    batch.add(
      try place.local.folder.stageCopy(
        of: place.file, from: place.local.folder, expecting: place.digest,
        marks: MessageMarks(flags: place.file.fileName.flags, keywords: keywords),
        internalDate: context.started, base: base, policy: context.policy))
    let outcome = batch.commit()
    if let failure = outcome.failure { throw failure }
    place.local.forgetScan()
    return outcome.delivered.first?.file.description ?? ""
  }

  /// No message's name: it tells of none, and is the same for the same content.
  ///
  /// - Returns: the first that is free, or with the file that a run which was cut off made. The stub itself may have been
  ///   kept once, and have such a name: it goes, and is no copy of itself.
  private func free(_ place: OnDemandFiles.Place) throws -> (base: [UInt8], kept: MessageFile?) {
    let hash = String(place.digest.contentHash.rawValue, radix: 16)
    var number = 1
    while true {
      let base = Array("kept\(number == 1 ? "" : "\(number)").\(hash).\(context.account)".utf8)
      number += 1
      guard base != place.file.base else { continue }
      guard let file = try place.local.scanned().find(base: base)?.file(base: base) else {
        return (base, nil)
      }
      let digest = try place.local.folder.digest(of: file, policy: context.policy)
      if digest.contentHash == place.digest.contentHash { return (base, file) }
    }
  }
}
