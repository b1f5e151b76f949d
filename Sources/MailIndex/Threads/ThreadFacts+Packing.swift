/// As `thread_node.facts` holds it: a fixed part of 40 bytes, the conversation's 24 where there is
/// one, then 8 bytes an id, In-Reply-To before References; all little-endian.
extension ThreadFacts {
  private struct Traits: OptionSet {
    let rawValue: UInt8
    static let isReply = Traits(rawValue: 1)
    static let isExactlyOneID = Traits(rawValue: 2)
    static let hasConversation = Traits(rawValue: 4)
  }

  static let fixedLength = 40

  var packed: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(
      Self.fixedLength + 24 + 8 * (inReplyTo.count + references.count))
    var traits: Traits = []
    if isReply { traits.insert(.isReply) }
    if isExactlyOneID { traits.insert(.isExactlyOneID) }
    if conversation != nil { traits.insert(.hasConversation) }
    func append(_ value: some FixedWidthInteger) {
      withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
    append(traits.rawValue)
    append(UInt8(clamping: inReplyTo.count))
    append(UInt16(clamping: references.count))
    append(rank)
    append(date)
    append(own)
    append(subject)
    append(topic)
    append(sender)
    if let conversation {
      append(conversation.key)
      append(conversation.whole)
      append(conversation.parent)
    }
    for key in inReplyTo { append(key) }
    for key in references { append(key) }
    return bytes
  }

  /// Nil where the bytes are none of ours.
  init?(packed bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.fixedLength else { return nil }
    func value<T: FixedWidthInteger>(_ offset: Int, as type: T.Type) -> T {
      T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
    }
    let traits = Traits(rawValue: bytes[0])
    let answered = Int(bytes[1])
    let referenced = Int(value(2, as: UInt16.self))
    var offset = Self.fixedLength + (traits.contains(.hasConversation) ? 24 : 0)
    guard bytes.count == offset + 8 * (answered + referenced) else { return nil }
    rank = value(4, as: UInt32.self)
    date = value(8, as: Int64.self)
    own = value(16, as: UInt64.self)
    subject = value(24, as: UInt64.self)
    topic = value(32, as: UInt32.self)
    sender = value(36, as: UInt32.self)
    isReply = traits.contains(.isReply)
    isExactlyOneID = traits.contains(.isExactlyOneID)
    if traits.contains(.hasConversation) {
      conversation = Conversation(
        key: value(40, as: UInt64.self), whole: value(48, as: UInt64.self),
        parent: value(56, as: UInt64.self))
    }
    inReplyTo = (0..<answered).map { value(offset + 8 * $0, as: UInt64.self) }
    offset += 8 * answered
    references = (0..<referenced).map { value(offset + 8 * $0, as: UInt64.self) }
    guard own != 0, !inReplyTo.contains(0), !references.contains(0) else { return nil }
  }
}

/// Single fields, without unpacking the rest.
extension ThreadFacts {
  /// What a message says about whether an id is a hub.
  static func evidence(packed bytes: UnsafeRawBufferPointer) -> (topic: UInt32, sender: UInt32)? {
    guard bytes.count >= fixedLength else { return nil }
    return (
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 32, as: UInt32.self)),
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 36, as: UInt32.self))
    )
  }

  /// Where the message stands in the order of all.
  static func place(packed bytes: UnsafeRawBufferPointer) -> (date: Int64, rank: UInt32)? {
    guard bytes.count >= fixedLength else { return nil }
    return (
      Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self)),
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    )
  }
}
