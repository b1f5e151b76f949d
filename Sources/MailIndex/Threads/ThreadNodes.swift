/// The facts of many messages, flat: 56 bytes each and 8 a key, whatever their number.
struct ThreadNodes: Sendable {
  struct Node: Sendable {
    let id: Int64
    let date: Int64
    let own: UInt64
    let subject: UInt64
    let rank: UInt32
    let topic: UInt32
    let sender: UInt32
    /// Where its keys begin: In-Reply-To, References, then the conversation's three if there is one.
    fileprivate let start: UInt32
    fileprivate let referenced: UInt16
    fileprivate let answered: UInt8
    private let traits: UInt8

    var isExactlyOneID: Bool { traits & 1 != 0 }
    var hasConversation: Bool { traits & 2 != 0 }
    var hasNoClaims: Bool { answered == 0 && referenced == 0 }
    var seeksConversation: Bool { hasConversation && hasNoClaims }
    var seeksSubject: Bool { traits & 4 != 0 }

    fileprivate init(id: Int64, facts: ThreadFacts, start: Int) {
      self.id = id
      date = facts.date
      own = facts.own
      subject = facts.subject
      rank = facts.rank
      topic = facts.topic
      sender = facts.sender
      self.start = UInt32(clamping: start)
      referenced = UInt16(clamping: facts.references.count)
      answered = UInt8(clamping: facts.inReplyTo.count)
      traits =
        (facts.isExactlyOneID ? 1 : 0) | (facts.conversation != nil ? 2 : 0)
        | (facts.seeksSubject ? 4 : 0)
    }

    /// Which of two messages comes first, a function of their content alone (but for two that agree
    /// in date and 32 bits of hash).
    func precedes(_ other: Node) -> Bool {
      if date != other.date { return date < other.date }
      if rank != other.rank { return rank < other.rank }
      return id < other.id
    }
  }

  private(set) var nodes: [Node] = []
  private(set) var keys: [UInt64] = []

  var count: Int { nodes.count }
  subscript(index: Int) -> Node { nodes[index] }

  mutating func reserve(_ count: Int) {
    nodes.reserveCapacity(count)
    keys.reserveCapacity(count * 3)
  }

  mutating func append(_ id: Int64, _ facts: ThreadFacts) {
    nodes.append(Node(id: id, facts: facts, start: keys.count))
    keys += facts.inReplyTo
    keys += facts.references
    if let conversation = facts.conversation {
      keys.append(conversation.key)
      keys.append(conversation.whole)
      keys.append(conversation.parent)
    }
  }

  /// By message number, as ``ThreadLinker`` wants them.
  mutating func sort() { nodes.sort { $0.id < $1.id } }

  /// Places in `keys`.
  func inReplyTo(of node: Node) -> Range<Int> {
    Int(node.start)..<Int(node.start) + Int(node.answered)
  }

  func references(of node: Node) -> Range<Int> {
    let start = Int(node.start) + Int(node.answered)
    return start..<start + Int(node.referenced)
  }

  func claims(of node: Node) -> Range<Int> {
    Int(node.start)..<Int(node.start) + Int(node.answered) + Int(node.referenced)
  }

  /// The place of the conversation's key; those of the whole index and of the parent's follow it.
  func conversation(of node: Node) -> Int? {
    node.hasConversation ? claims(of: node).upperBound : nil
  }

  /// Every key of a message with its roles, each once: ``ThreadFacts/roles()`` without its dictionary.
  func forEachRole(of node: Node, _ body: (UInt64, LinkRole) -> Void) {
    body(node.own, .own)
    let answered = inReplyTo(of: node)
    let claims = claims(of: node)
    for place in claims {
      let key = keys[place]
      // Lists are short; only the last of equal keys is told, with the roles of all.
      guard !keys[(place + 1)..<claims.upperBound].contains(key) else { continue }
      var role: LinkRole = []
      if keys[answered].contains(key) || place == claims.upperBound - 1 { role.insert(.direct) }
      if place >= answered.upperBound { role.insert(.distant) }
      body(key, role)
    }
    if let place = conversation(of: node) {
      body(
        keys[place], node.seeksConversation ? [.conversation, .seeksConversation] : .conversation)
    }
  }
}
