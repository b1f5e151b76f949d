import Maildir

/// `entries/<id>.envelope`.
enum EnvelopeFile {
  static let suffix = ".envelope"
  static let kind = "mirror-envelope"
  static let version = 1
  /// 20,000 recipients of the longest kind.
  static let limit = 8 * 1024 * 1024

  static func name(_ id: QueueID) -> String { id.text + suffix }

  static func bytes(_ envelope: SubmissionEnvelope) -> [UInt8] {
    var text = RecordText(kind: kind, version: version)
    text.add("id", envelope.id.text)
    text.add("queued", InstantText.text(envelope.queued))
    text.add("tree", envelope.tree.text)
    let message = envelope.message
    text.add(
      "message",
      "\(message.size) \(message.wireSize) \(message.hash) \(message.inode) \(message.birthTime)")
    text.add("temporary", envelope.temporaryName)
    text.add("needs", envelope.needs.rawValue)
    if let notify = envelope.notify { text.add("notify", notify) }
    text.add("sender", envelope.sender)
    for recipient in envelope.recipients { text.add("recipient", recipient) }
    if let id = envelope.messageID { text.add("message-id", id) }
    if let subject = envelope.subject { text.add("subject", subject) }
    return text.finished()
  }

  static func read(_ bytes: [UInt8]) throws(RecordDamage) -> SubmissionEnvelope {
    var fields = try RecordFields(bytes, kind: kind, version: version)
    let envelope = SubmissionEnvelope(
      id: try fields.required("id", { QueueID($0) }),
      queued: try fields.required("queued", InstantText.read),
      tree: try fields.required("tree", { TreeIdentity(text: $0) }),
      message: try fields.required("message", frozen),
      temporaryName: try fields.required("temporary"),
      sender: try fields.required("sender"),
      recipients: fields.all("recipient"),
      messageID: try fields.optional("message-id"),
      subject: try fields.optional("subject"),
      needs: TransportNeeds(rawValue: try fields.required("needs", { UInt8($0) })),
      notify: try fields.optional("notify"))
    guard !envelope.recipients.isEmpty else { throw .field("recipient") }
    try fields.finish()
    return envelope
  }

  private static func frozen(_ text: String) -> FrozenMessage? {
    let parts = text.split(separator: " ")
    guard parts.count == 5, let size = UInt64(parts[0]), let wireSize = UInt64(parts[1]),
      let hash = UInt64(parts[2]), let inode = UInt64(parts[3]), let birthTime = Int64(parts[4])
    else { return nil }
    return FrozenMessage(
      size: size, wireSize: wireSize, hash: hash, inode: inode, birthTime: birthTime)
  }
}

/// A ``QueueInstant`` as three numbers.
enum InstantText {
  static func text(_ instant: QueueInstant) -> String {
    "\(instant.wall) \(instant.boot) \(instant.uptime)"
  }

  static func read(_ text: String) -> QueueInstant? { read(text.split(separator: " ")[...]) }

  static func read(_ parts: ArraySlice<Substring>) -> QueueInstant? {
    guard parts.count == 3, let wall = Int64(parts[parts.startIndex]),
      let boot = UInt64(parts[parts.startIndex + 1]),
      let uptime = Int64(parts[parts.startIndex + 2])
    else { return nil }
    return QueueInstant(wall: wall, boot: boot, uptime: uptime)
  }
}
