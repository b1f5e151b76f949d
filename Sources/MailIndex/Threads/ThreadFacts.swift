/// What threads want of one message, taken from its header once, when it is parsed.
///
/// Pure and cheap to make: belongs in the workers that parse. Ids come normalised (RFC 5322 §3.6.4,
/// without the angle brackets).
package struct ThreadFacts: Equatable, Sendable {
  /// Unix seconds, as in `message.date`.
  var date: Int64
  /// The message's own id.
  var own: UInt64
  /// With `date`, the order of messages: the same whatever the order of arrival.
  var rank: UInt32
  /// The subject that may join, or 0.
  var subject: UInt64
  /// What the message is about, as far as a suspicion of junk is concerned; 0 for nothing.
  var topic: UInt32
  var sender: UInt32
  /// The subject has a prefix of replies or forwards.
  var isReply: Bool
  /// In-Reply-To was one id and nothing else, so it names the parent.
  var isExactlyOneID: Bool
  /// Ids in In-Reply-To, then in References, in their order; none is `own`.
  var inReplyTo: [UInt64]
  var references: [UInt64]
  var conversation: Conversation?

  /// Outlook's Thread-Index as keys: of the conversation, of the whole value, of the parent's value
  /// (0 at the root).
  struct Conversation: Equatable, Sendable {
    var key: UInt64
    var whole: UInt64
    var parent: UInt64
  }

  /// Of References, the oldest and the newest are kept where there are more than 200.
  static let mostReferences = 200
  static let oldestReferences = 8
  static let mostInReplyTo = 8

  /// - Parameters:
  ///   - messageID: the Message-ID, or the key made from the content where there is none.
  ///   - isExactlyOneID: whether In-Reply-To is exactly one id.
  ///   - threadIndex: the value of Thread-Index as it stands in the header.
  ///   - baseSubject: normalised, without prefixes.
  ///   - addresses: of From, To and Cc. Old mailers' In-Reply-To ("Message from Bob <bob@x> of …")
  ///     names people as if they were messages.
  package init(
    account: Int64, messageID: String, date: Int64, contentHash: Int64, inReplyTo: [String],
    isExactlyOneID: Bool, references: [String], threadIndex: (some Sequence<UInt8>)?,
    baseSubject: String, isReply: Bool, senderAddress: String, addresses: [String]
  ) {
    self.date = date
    let own = LinkKey.messageID(messageID, account: account)
    self.own = own
    let content = UInt64(bitPattern: contentHash)
    rank = UInt32(truncatingIfNeeded: LinkKey.mixed(own ^ LinkKey.mixed(content)))
    let subject = ThreadSubject(base: baseSubject)
    self.subject =
      subject.joining.isEmpty ? 0 : LinkKey.subject(subject.joining, account: account)
    topic = LinkKey.mark(subject.topic)
    sender = LinkKey.mark(Self.lowered(senderAddress))
    self.isReply = isReply
    self.isExactlyOneID = isExactlyOneID
    func keys(_ ids: some Sequence<String>) -> [UInt64] {
      ids.lazy.filter(Self.namesAMessage).map { LinkKey.messageID($0, account: account) }
        .filter { $0 != own }
    }
    let people = inReplyTo.isEmpty ? [] : Set(addresses.map(Self.lowered))
    let answered = inReplyTo.filter {
      !people.contains(Self.lowered($0)) && (isExactlyOneID || !Self.looksLikeAnAddress($0))
    }
    self.inReplyTo = keys(answered.prefix(Self.mostInReplyTo))
    self.references = keys(Self.bounded(references))
    conversation = threadIndex.flatMap { ThreadIndexHeader(value: $0) }.map {
      Conversation(
        key: LinkKey.conversation($0.conversation, account: account),
        whole: LinkKey.conversation($0.bytes[...], account: account),
        parent: $0.parent.map { LinkKey.conversation($0, account: account) } ?? 0)
    }
  }

  /// A stand-in where a row of the index is damaged or missing: joins nothing.
  init(standingInFor message: Int64) {
    (date, rank, subject, topic, sender) = (0, 0, 0, 0, 0)
    (isReply, isExactlyOneID) = (false, false)
    own = max(1, LinkKey.mixed(UInt64(bitPattern: message)))
    (inReplyTo, references) = ([], [])
  }

  /// Nothing in the header says what the message belongs to.
  var hasNoClaims: Bool { inReplyTo.isEmpty && references.isEmpty }
  var seeksConversation: Bool { hasNoClaims && conversation != nil }
  /// Threaded by its subject, for want of anything better.
  var seeksSubject: Bool { hasNoClaims && conversation == nil && isReply && subject != 0 }

  /// Every key of the message with its roles.
  func roles() -> [UInt64: LinkRole] {
    var roles: [UInt64: LinkRole] = [own: .own]
    for key in references { roles[key, default: []].insert(.distant) }
    if let last = references.last { roles[last, default: []].insert(.direct) }
    for key in inReplyTo { roles[key, default: []].insert(.direct) }
    if let conversation {
      roles[conversation.key, default: []].insert(
        seeksConversation ? [.conversation, .seeksConversation] : .conversation)
    }
    return roles
  }
}

extension ThreadFacts {
  /// Proton puts its internal ids among the references; unrelated mails share them.
  private static func namesAMessage(_ id: String) -> Bool {
    !id.utf8.isEmpty && !id.utf8.reversed().starts(with: "@protonmail.internalid".utf8.reversed())
  }

  private static func bounded(_ references: [String]) -> [String] {
    guard references.count > mostReferences else { return references }
    return references.prefix(oldestReferences)
      + references.suffix(mostReferences - oldestReferences)
  }

  /// Local parts of ids are long, or have digits.
  private static func looksLikeAnAddress(_ id: String) -> Bool {
    let local = id.utf8.prefix { $0 != UInt8(ascii: "@") }
    return local.count <= 24
      && !local.contains { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: "$") }
  }

  private static func lowered(_ text: String) -> [UInt8] {
    text.utf8.map { $0 &- 65 < 26 ? $0 | 0x20 : $0 }
  }
}
