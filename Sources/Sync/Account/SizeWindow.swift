import IMAPClient
import IMAPWire
import MailCore
import Maildir
import State

/// `window = "5GB"`: the account's newest messages that fit. Needs the date and size of every message, which the state
/// knows for those it has records of; the others are asked for.
struct SizeWindow {
  let context: AccountContext
  let budget: Int64

  func plan(_ catalogue: MailboxCatalogue, _ remote: some RemoteMailbox) throws -> WindowPlan {
    var sizes: [(date: Int64, size: Int64)] = []
    var measured = MeasuredMessages()
    for (listing, record) in catalogue.mirrored {
      try context.checkInterrupt()
      var known = UIDSet()
      var isWhole = true
      if let id = record?.id {
        try context.state.forEachMessage(in: id, 1...UInt32.max) { message in
          guard message.internalDate != 0 else {
            isWhole = false
            return
          }
          known.insert(message.uid)
          sizes.append((message.internalDate, max(message.serverSize, message.size)))
        }
        if isWhole, record?.isUnchanged(listing.status) == true { continue }
      }
      try context.sparing(listing.name.text) {
        for (uid, measure) in try measure(listing, except: known, remote) {
          measured[uid, in: listing.name] = measure
          sizes.append((measure.date, measure.size))
        }
      }
    }
    sizes.sort { $0.date > $1.date }
    var plan = WindowPlan.newest(fitting: budget, sizes)
    plan.measured = measured
    return plan
  }

  private func measure(
    _ listing: MailboxListing, except known: UIDSet, _ remote: some RemoteMailbox
  ) throws -> [UID: MeasuredMessages.Measure] {
    let target = MailboxTarget(name: listing.name, rawName: listing.rawName, uidValidity: nil)
    let delta = try remote.open(target, asking: .everything(marksUpTo: nil))
    let probe = SizeProbe()
    var rest = (delta.listed ?? UIDSet()).subtracting(known)
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
  private(set) var sizes: [UID: MeasuredMessages.Measure] = [:]

  func begins(uid: UID?, keywords: Keywords?, size: Int, isHeader: Bool) {}
  func bytes(_ bytes: UnsafeRawBufferPointer) {}
  func finished(_ message: FetchedMessage, hasBytes: Bool, wanted: FetchRequest.Wanted) {
    sizes[message.uid] = .init(date: message.internalDate ?? 0, size: message.size ?? 0)
  }
  func spoilt(uid: UID?) {}
  func answered(_ request: FetchRequest, refusal: String?) {}
}
