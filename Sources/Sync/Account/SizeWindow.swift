import MailCore
import Maildir
import State

/// `window = "5GB"`: the account's newest messages that fit. Needs the date and size of every message, which the state
/// knows for those it has records of; the others are asked for.
struct SizeWindow {
  let state: StateStore
  let budget: Int64

  func plan(_ catalogue: MailboxCatalogue, _ remote: some RemoteMailbox) throws -> WindowPlan {
    var sizes: [(date: Int64, size: Int64)] = []
    for (listing, record) in catalogue.mirrored {
      var known = UIDSet()
      if let id = record?.id {
        try state.forEachMessage(in: id, 1...UInt32.max) { message in
          guard message.internalDate != 0 else { return }
          known.insert(message.uid)
          sizes.append((message.internalDate, max(message.serverSize, message.size)))
        }
        if record?.isUnchanged(listing.status) == true { continue }
      }
      let target = MailboxTarget(
        name: listing.name, rawName: listing.rawName, uidValidity: nil)
      let delta = try remote.open(target, asking: .everything(marksUpTo: nil))
      sizes += try measure((delta.listed ?? UIDSet()).subtracting(known), remote)
    }
    sizes.sort { $0.date > $1.date }
    return .newest(fitting: budget, sizes)
  }

  private func measure(_ uids: UIDSet, _ remote: some RemoteMailbox) throws -> [(Int64, Int64)] {
    let probe = SizeProbe()
    var rest = uids
    try remote.fetch(
      opening: nil,
      next: {
        guard !rest.isEmpty else { return nil }
        let (newest, older) = rest.splitNewest(1000)
        rest = older
        return FetchRequest(.identities, newest)
      }, into: probe)
    return probe.sizes
  }
}

private final class SizeProbe: FetchSink {
  private(set) var sizes: [(Int64, Int64)] = []

  func begins(uid: UID?, keywords: Keywords?, size: Int, isHeader: Bool) {}
  func bytes(_ bytes: UnsafeRawBufferPointer) {}
  func finished(_ message: FetchedMessage, hasBytes: Bool, wanted: FetchRequest.Wanted) {
    sizes.append((message.internalDate ?? 0, message.size ?? 0))
  }
  func spoilt(uid: UID?) {}
  func answered(_ request: FetchRequest, refusal: String?) {}
}
