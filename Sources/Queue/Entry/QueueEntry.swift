/// One message of the queue as it stands on disk.
package struct QueueEntry: Sendable, Hashable {
  package var id: QueueID
  /// Nil where the envelope is damaged or lost: the message is parked and none of it gone.
  package var envelope: SubmissionEnvelope?
  package var phase: QueuePhase
  /// Nil once the message was sent and unlinked: its copy is in Sent then.
  package var file: QueueFile?
  /// Why it will not be sent as it stands.
  package var damage: QueueDamage?

  /// The state as everybody should see it: what must not be sent shows as held.
  package var state: QueueState {
    guard damage != nil else { return phase.state }
    switch phase.state {
    case .queued, .sending: return .held
    case .sent, .failed, .unknown, .held: return phase.state
    }
  }

  /// Unix seconds; the file name's, where the envelope is lost.
  package var queuedSeconds: Int64 { envelope?.queued.seconds ?? file?.seconds ?? 0 }
  /// Nil unless it waits.
  package var nextAttempt: QueueDue? { state == .queued ? phase.nextAttempt : nil }
  /// Unix seconds; nil unless it waits.
  package var nextAttemptSeconds: Int64? { nextAttempt?.seconds }
  package var error: String? { damage?.words ?? phase.error }

  /// Whether a retry that the user did not ask for by its id gives nobody the message twice. What came back may have
  /// reached somebody all the same: reports err.
  package var isSafeToRetry: Bool {
    guard phase.bounces.isEmpty else { return false }
    switch state {
    case .failed, .queued: return true
    case .sent: return phase.hasRefusals
    case .sending, .unknown, .held: return false
    }
  }

  /// Oldest first.
  static func precedes(_ a: QueueEntry, _ b: QueueEntry) -> Bool {
    let first = a.envelope?.queued.wall ?? a.queuedSeconds &* 1_000_000_000
    let second = b.envelope?.queued.wall ?? b.queuedSeconds &* 1_000_000_000
    return first == second ? a.id < b.id : first < second
  }
}

/// Where a message's bytes lie in the outbox. A mail reader may rename it at any time.
package struct QueueFile: Sendable, Hashable {
  /// `new` or `cur`.
  package var subdirectory: String
  package var name: [UInt8]

  /// From the name.
  var seconds: Int64? {
    Int64(String(decoding: name.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self))
  }
}

package enum QueueDamage: Error, Sendable, Hashable {
  case envelope(String)
  case phase(String)
  /// Its message is not in the outbox.
  case messageMissing
  /// The file is another size than what was accepted; its hash is told apart before sending.
  case messageChanged
  /// The system refuses to read its message or records.
  case unreadable(String)
  /// A newer program wrote its records.
  case newer
  /// It came out of a backup, or the account's directory is a copy.
  case restored

  package var words: String {
    switch self {
    case .envelope(let why): "the envelope is damaged (\(why)); the message is kept"
    case .phase(let why): "the record of its state is damaged (\(why)); the message is kept"
    case .messageMissing: "the message is no longer in the outbox"
    case .messageChanged: "the message was changed after it was accepted"
    case .unreadable(let why): "it cannot be read (\(why)); the message is kept"
    case .newer: "its records were written by a newer program"
    case .restored: "it comes from a backup or a copy, and may have been sent since"
    }
  }

  /// What leads out of it.
  package func remedy(_ id: QueueID) -> String {
    switch self {
    case .envelope:
      "`mirror outbox show --raw \(id)` prints the message; queue it anew, then `discard` this one."
    case .phase:
      "Look into Sent, then `mirror outbox retry \(id)` sends it to all, `discard` forgets it."
    case .messageMissing: "`mirror outbox discard \(id)` forgets it."
    case .messageChanged:
      "`mirror outbox edit \(id)` queues it as it is now, `discard` forgets it."
    case .unreadable: "Check the disk and the permissions of its files."
    case .newer: "Use that program."
    case .restored: "Look into Sent, then `mirror outbox release \(id)` or `discard` it."
    }
  }
}

extension RecordDamage {
  var isOfNewerProgram: Bool { if case .newer = self { true } else { false } }

  var words: String {
    switch self {
    case .broken: "cut short or altered"
    case .newer(let version): "written by a newer program, version \(version)"
    case .field(let key): "field “\(key)”"
    }
  }
}
