/// One key of one message, as it is sorted: by key, then by place.
struct ThreadClaim {
  /// What the key is to the message, beyond the roles that the index keeps.
  enum Kind: UInt8 {
    /// A key of the index, with its roles.
    case role = 0
    /// The whole Thread-Index of the message.
    case whole = 1
    /// The Thread-Index of the message's parent.
    case parentWhole = 2
  }

  let key: UInt64
  let place: Int32
  let kind: Kind
  let role: LinkRole
  /// Begins an Outlook conversation.
  let isStarter: Bool
  /// How early the key's owner is asked for as a parent: the lowest is asked first.
  let order: UInt16
  /// Whether it is named in References where it is asked first.
  let isReference: Bool
  let topic: UInt32
  let sender: UInt32

  static let length = 24

  /// As SQLite sorts keys, which it takes for signed numbers.
  private static let sign: UInt64 = 1 << 63

  func withRecord<T>(_ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
    try withUnsafeTemporaryAllocation(byteCount: Self.length, alignment: 8) { bytes in
      bytes.storeBytes(of: (key ^ Self.sign).bigEndian, toByteOffset: 0, as: UInt64.self)
      bytes.storeBytes(of: UInt32(place).bigEndian, toByteOffset: 8, as: UInt32.self)
      bytes[12] = kind.rawValue
      bytes[13] = role.rawValue
      bytes.storeBytes(of: order.littleEndian, toByteOffset: 14, as: UInt16.self)
      bytes.storeBytes(of: topic.littleEndian, toByteOffset: 16, as: UInt32.self)
      bytes.storeBytes(of: sender.littleEndian, toByteOffset: 20, as: UInt32.self)
      bytes[12] |= (isStarter ? 0x40 : 0) | (isReference ? 0x80 : 0)
      return try body(UnsafeRawBufferPointer(bytes))
    }
  }

  init(record: UnsafeRawBufferPointer) {
    func value<T: FixedWidthInteger>(_ offset: Int, as type: T.Type) -> T {
      record.loadUnaligned(fromByteOffset: offset, as: type)
    }
    key = UInt64(bigEndian: value(0, as: UInt64.self)) ^ Self.sign
    place = Int32(truncatingIfNeeded: UInt32(bigEndian: value(8, as: UInt32.self)))
    kind = Kind(rawValue: record[12] & 0x3F) ?? .role
    role = LinkRole(rawValue: record[13])
    isStarter = record[12] & 0x40 != 0
    isReference = record[12] & 0x80 != 0
    order = UInt16(littleEndian: value(14, as: UInt16.self))
    topic = UInt32(littleEndian: value(16, as: UInt32.self))
    sender = UInt32(littleEndian: value(20, as: UInt32.self))
  }

  init(
    _ key: UInt64, _ place: Int32, _ kind: Kind = .role, role: LinkRole = [], order: UInt16 = 0,
    isReference: Bool = false, isStarter: Bool = false, of facts: ThreadFacts
  ) {
    self.key = key
    self.place = place
    self.kind = kind
    self.role = role
    self.isStarter = isStarter
    self.order = order
    self.isReference = isReference
    topic = facts.topic
    sender = facts.sender
  }
}

extension ThreadFacts {
  /// Every key of the message, each once.
  func forEachClaim(at place: Int32, _ body: (ThreadClaim) throws -> Void) rethrows {
    try body(ThreadClaim(own, place, role: .own, of: self))
    let claims = inReplyTo + references
    // Lists are short. Of equal keys the last is passed on, with the roles of all.
    for (index, key) in claims.enumerated() where !claims[(index + 1)...].contains(key) {
      var role: LinkRole = []
      if inReplyTo.contains(key) || index == claims.count - 1 { role.insert(.direct) }
      if index >= inReplyTo.count { role.insert(.distant) }
      let (order, isReference) = order(of: key)
      try body(
        ThreadClaim(key, place, role: role, order: order, isReference: isReference, of: self))
    }
    guard let conversation else { return }
    try body(
      ThreadClaim(
        conversation.key, place,
        role: seeksConversation ? [.conversation, .seeksConversation] : .conversation,
        order: 1, isStarter: conversation.parent == 0, of: self))
    try body(ThreadClaim(conversation.whole, place, .whole, of: self))
    if seeksConversation, conversation.parent != 0 {
      try body(ThreadClaim(conversation.parent, place, .parentWhole, of: self))
    }
  }

  /// The parent is In-Reply-To where that is exactly one id, else the last reference that is there, else what
  /// In-Reply-To names first.
  private func order(of key: UInt64) -> (order: UInt16, isReference: Bool) {
    if isExactlyOneID, inReplyTo.first == key { return (0, false) }
    if let last = references.lastIndex(of: key) {
      return (UInt16(clamping: references.count - last), true)
    }
    let first = inReplyTo.firstIndex(of: key) ?? 0
    return (UInt16(clamping: references.count + 1 + first), false)
  }
}
