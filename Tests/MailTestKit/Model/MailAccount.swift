import Foundation

/// One message of the model.
package struct ModelMessage: Sendable, Hashable {
  package var uid: UInt32
  package var flags: Set<String> = []
  package var date: Int64 = 1_600_000_000
  package var bytes: [UInt8]
  package var modSequence: UInt64 = 1
  /// X-GM-MSGID, and EMAILID as `M` and this number.
  package var identity: UInt64
  package var labels: [String] = []
  /// What RFC822.SIZE says where it lies.
  package var claimedSize: Int?
}

package struct ModelMailbox: Sendable {
  package var name: String
  package var attributes: [String] = []
  package var uidValidity: UInt32 = 1_500_000_000
  package var uidNext: UInt32 = 1
  package var highestModSequence: UInt64 = 1
  /// Ascending by UID.
  package var messages: [ModelMessage] = []
  package var expunged: [(uid: UInt32, modSequence: UInt64)] = []
  package var identity: String

  package var isSelectable: Bool {
    !attributes.contains { $0.lowercased() == "\\noselect" || $0.lowercased() == "\\nonexistent" }
  }

  /// Adds a message under the next UID.
  @discardableResult
  package mutating func deliver(
    _ message: SampleMessage, identity: UInt64? = nil, labels: [String] = []
  )
    -> UInt32
  {
    highestModSequence += 1
    let uid = uidNext
    uidNext += 1
    messages.append(
      ModelMessage(
        uid: uid, flags: Set(message.flags), date: message.date, bytes: message.bytes,
        modSequence: highestModSequence,
        identity: identity ?? Self.identity(name, uid), labels: labels))
    return uid
  }

  /// FNV-1a of the name, so that two mailboxes share no message by accident; and the UID.
  private static func identity(_ name: String, _ uid: UInt32) -> UInt64 {
    var hash: UInt32 = 2_166_136_261
    for byte in name.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    return UInt64(hash >> 2) << 32 | UInt64(uid)
  }

  package mutating func setFlags(_ uid: UInt32, _ flags: Set<String>) {
    guard let index = messages.firstIndex(where: { $0.uid == uid }) else { return }
    highestModSequence += 1
    messages[index].flags = flags
    messages[index].modSequence = highestModSequence
  }

  package mutating func expunge(_ uid: UInt32) {
    guard messages.contains(where: { $0.uid == uid }) else { return }
    highestModSequence += 1
    messages.removeAll { $0.uid == uid }
    expunged.append((uid, highestModSequence))
  }

  /// As after a restore on the server: the same messages under new UIDs.
  package mutating func renumber(from first: UInt32 = 1) {
    uidValidity += 1
    uidNext = first
    expunged = []
    for index in messages.indices {
      messages[index].uid = uidNext
      uidNext += 1
    }
  }
}

/// An account that exists only in memory, shared by all connections of a ``ModelServer``.
package final class MailAccount: @unchecked Sendable {  // `boxes` behind `lock`
  private let lock = NSLock()
  private var boxes: [ModelMailbox] = []

  package init(_ mailboxes: [String] = ["INBOX"]) {
    for name in mailboxes { add(name) }
  }

  package func add(_ name: String, attributes: [String] = [], uidValidity: UInt32 = 1_500_000_000) {
    change { boxes in
      boxes.append(
        ModelMailbox(
          name: name, attributes: attributes, uidValidity: uidValidity,
          identity: "box\(boxes.count)-\(uidValidity)"))
    }
  }

  package var mailboxes: [ModelMailbox] { lock.withLock { boxes } }

  package func change<R>(_ body: (inout [ModelMailbox]) throws -> R) rethrows -> R {
    try lock.withLock { try body(&boxes) }
  }

  package subscript(_ name: String) -> ModelMailbox? {
    get { mailboxes.first { Self.same($0.name, name) } }
    set {
      change { boxes in
        let index = boxes.firstIndex { Self.same($0.name, name) }
        if let index, let newValue { boxes[index] = newValue }
        if let index, newValue == nil { boxes.remove(at: index) }
        if index == nil, let newValue { boxes.append(newValue) }
      }
    }
  }

  /// Changes one mailbox that exists.
  package func change(_ name: String, _ body: (inout ModelMailbox) -> Void) {
    change { boxes in
      for index in boxes.indices where Self.same(boxes[index].name, name) { body(&boxes[index]) }
    }
  }

  private static func same(_ one: String, _ other: String) -> Bool {
    one == other || (one.uppercased() == "INBOX" && other.uppercased() == "INBOX")
  }
}
