import IMAPWire
import MailCore
import Maildir
import Remote
import SyncPlan

/// Brings large messages without their largest parts. Whatever of them does not come as it was described is left to the
/// download of whole messages.
struct StubDownloads {
  let mailbox: PulledMailbox
  let sink: MessageSink
  /// Larger parts stay on the server.
  let limit: Int64
  /// Their structures are held in memory.
  private static let messagesAtOnce = 300

  /// Works on those that the sink set apart, newest first.
  func run(_ remote: borrowing OpenMailbox) throws {
    while !sink.large.isEmpty {
      try mailbox.context.checkInterrupt()
      let (newest, _) = UIDSet(sink.large.keys.sorted()).splitNewest(Self.messagesAtOnce)
      let structures = try remote.structures(of: newest)
      var groups: [StubPlan: [UID]] = [:]
      var planned: [UID: StubSink.Expected] = [:]
      for uid in newest.uids {
        guard let size = sink.large.removeValue(forKey: uid) else { continue }
        guard let structure = structures[uid],
          let plan = StubPlan(structure, size: size, limit: limit)
        else {
          sink.toFetch.insert(uid)
          continue
        }
        groups[plan, default: []].append(uid)
        planned[uid] = .init(structure: structure, plan: plan, size: size)
      }
      try fetch(groups, planned, remote)
    }
  }

  /// Messages of one shape are asked for together, as many as come to a few megabytes.
  private func fetch(
    _ groups: [StubPlan: [UID]], _ planned: [UID: StubSink.Expected],
    _ remote: borrowing OpenMailbox
  ) throws {
    var requests: [SectionRequest] = []
    for (plan, uids) in groups.sorted(by: { ($0.value.last ?? UID(0)) < ($1.value.last ?? UID(0)) })
    {
      for batch in uids.pieces(of: 50) {
        requests.append(SectionRequest(plan.sections, of: UIDSet(batch)))
      }
    }
    let sink = sink
    let parts = StubSink(
      expected: planned,
      deliver: { try sink.deliver($0, $1, $2, received: $3) },
      answered: { sink.answered($0.uids) })
    try remote.fetch(
      sections: {
        let request = requests.popLast()
        if let request { sink.asks(request.uids) }
        return request
      }, into: parts)
    // Expunged meanwhile, or not shown: the download of whole messages will tell.
    for uid in planned.keys where !sink.handled.contains(uid) { sink.toFetch.insert(uid) }
  }
}
