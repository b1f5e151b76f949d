import MIME
import Maildir
import Queue

/// Where the copy of a queued message stands, for a push that finds one of it in the local Sent folder.
package enum SentCopyStand: Sendable, Equatable {
  /// None was filed, and who files looks into the folder before: what lies there is the copy.
  case free
  /// One may be in the Sent mailbox.
  case mayBeThere
  /// The provider may have filed one, perhaps under a Message-ID of its own.
  case mayBeRenamed
  /// One may be on its way there.
  case isComing

  /// Seconds in which a provider files what it has taken.
  package static let providersTime: Int64 = 15 * 60

  /// Of every message that the queue of the account in this directory knows, by Message-ID.
  package static func all(account path: String, rule: SentCopyRule, at now: QueueInstant)
    throws(MaildirError) -> [String: SentCopyStand]
  {
    var stands: [String: SentCopyStand] = [:]
    for entry in try OutboxReader.entries(account: path) {
      guard let id = entry.envelope?.messageID else { continue }
      stands[id] = of(entry, rule, now).combined(with: stands[id])
    }
    return stands
  }

  static func of(_ entry: QueueEntry, _ rule: SentCopyRule, _ now: QueueInstant) -> SentCopyStand {
    let phase = entry.phase
    switch rule {
    case .us:
      switch phase.copy {
      case .undecided: return .free
      case .appending: return .isComing
      case .filed: return .mayBeThere
      }
    case .provider:
      // What was refused may be sent again, and what is unknown may have been taken. What came back was taken before.
      let isSent = phase.state == .sent || phase.state == .failed && phase.wasTaken
      guard isSent, let changed = phase.changed else { return .isComing }
      return changed.elapsed(until: now) < providersTime * 1_000_000_000
        ? .isComing : .mayBeRenamed
    }
  }

  private func combined(with other: SentCopyStand?) -> SentCopyStand {
    guard let other, self != .isComing else { return self }
    return other == .free ? self : other
  }
}
