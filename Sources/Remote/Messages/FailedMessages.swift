import MailCore

/// Messages that did not come, by the reason why; bounded by reasons, not by messages.
package struct FailedMessages {
  private static let mostReasons = 20
  private static let otherReason = "the server gave a different reason for each"

  private var groups: [(reason: String, uids: UIDSet, added: [UIDSet])] = []

  package init() {}

  /// Of two reasons for one message the first counts.
  package mutating func add(_ uids: UIDSet, because reason: String) {
    guard !uids.isEmpty else { return }
    let place = groups.firstIndex { $0.reason == reason } ?? newGroup(reason)
    groups[place].added.append(uids)
    // A set grows at its end only without being sorted anew.
    if groups[place].added.count >= 512 { merge(place) }
  }

  private mutating func newGroup(_ reason: String) -> Int {
    if groups.count < Self.mostReasons {
      groups.append((reason, UIDSet(), []))
    } else if groups.count == Self.mostReasons {
      groups.append((Self.otherReason, UIDSet(), []))
    }
    return groups.count - 1
  }

  private mutating func merge(_ place: Int) {
    let all = groups[place].added.flatMap(\.ranges) + groups[place].uids.ranges
    groups[place].uids = UIDSet(ranges: all)
    groups[place].added = []
  }

  /// Those of `uids`, each once; `otherwise` is the reason of those that none was given for.
  package func reasons(of uids: UIDSet, otherwise: String) -> [(reason: String, uids: UIDSet)] {
    var rest = uids
    var found: [(reason: String, uids: UIDSet)] = []
    for group in groups where !rest.isEmpty {
      let own = rest.intersection(
        UIDSet(ranges: group.added.flatMap(\.ranges) + group.uids.ranges))
      if !own.isEmpty { found.append((group.reason, own)) }
      rest = rest.subtracting(own)
    }
    if !rest.isEmpty { found.append((otherwise, rest)) }
    return found
  }
}
