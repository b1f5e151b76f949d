/// `entries/<id>.phase`: written when the message is accepted, and replaced whole with every change. It
/// knows which file it was written as: one that a backup brought back is another, and old.
enum PhaseFile {
  static let suffix = ".phase"
  static let kind = "mirror-phase"
  static let version = 1
  static let limit = 32 * 1024 * 1024

  static func name(_ id: QueueID) -> String { id.text + suffix }

  /// - Parameter file: the one that these bytes are for.
  static func bytes(_ phase: QueuePhase, file: FileMark = .none) -> [UInt8] {
    var text = RecordText(kind: kind, version: version)
    text.add("state", phase.state.rawValue)
    if let step = phase.step { text.add("step", step.rawValue) }
    text.add("attempts", phase.attempts)
    if let first = phase.firstReached { text.add("first-reached", InstantText.text(first)) }
    if let due = phase.nextAttempt {
      text.add("next", "\(due.delaySeconds) \(InstantText.text(due.since))")
    }
    if let changed = phase.changed { text.add("changed", InstantText.text(changed)) }
    if let error = phase.error { text.add("error", error) }
    if let receipt = phase.receipt { text.add("receipt", receipt) }
    text.add("copy", phase.copy.rawValue)
    text.add("handed-over", phase.handedOver)
    for bounce in phase.bounces { text.add("bounce", bounce) }
    if !phase.givenUp.isEmpty {
      text.add("dealt-with", phase.givenUp.sorted().map(String.init).joined(separator: " "))
    }
    text.add("file", "\(file.inode) \(file.birthTime)")
    for recipient in phase.recipients {
      text.add("recipient", recipient.state.rawValue + (recipient.reply.map { " " + $0 } ?? ""))
    }
    return text.finished()
  }

  /// - Parameter count: of the envelope's recipients; another number is damage.
  /// - Returns: also the file that it was written as.
  static func read(_ bytes: [UInt8], recipients count: Int) throws(RecordDamage)
    -> (phase: QueuePhase, file: FileMark)
  {
    var fields = try RecordFields(bytes, kind: kind, version: version)
    var phase = QueuePhase(recipients: 0)
    phase.state = try fields.required("state", { QueueState(rawValue: $0) })
    phase.step = try fields.optional("step", { SendingStep(rawValue: $0) })
    phase.attempts = try fields.required("attempts", { Int($0) })
    phase.firstReached = try fields.optional("first-reached", InstantText.read)
    phase.nextAttempt = try fields.optional("next", due)
    phase.changed = try fields.optional("changed", InstantText.read)
    phase.error = try fields.optional("error")
    phase.receipt = try fields.optional("receipt")
    phase.copy = try fields.required("copy", { SentCopy(rawValue: $0) })
    phase.handedOver = try fields.required("handed-over", { Int($0) })
    phase.bounces = fields.all("bounce")
    phase.givenUp = try fields.optional("dealt-with", { indexes($0, below: count) }) ?? []
    let file = try fields.required("file", FileMark.read)
    for text in fields.all("recipient") {
      guard let result = result(text) else { throw .field("recipient") }
      phase.recipients.append(result)
    }
    try fields.finish()
    guard phase.recipients.count == count else { throw .field("recipient") }
    guard (phase.step != nil) == (phase.state == .sending) else { throw .field("step") }
    guard phase.attempts >= 0 else { throw .field("attempts") }
    guard phase.handedOver >= 0 else { throw .field("handed-over") }
    return (phase, file)
  }

  private static func indexes(_ text: String, below count: Int) -> Set<Int>? {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    let indexes = parts.compactMap { Int($0) }.filter { (0..<count).contains($0) }
    return indexes.count == parts.count ? Set(indexes) : nil
  }

  private static func due(_ text: String) -> QueueDue? {
    let parts = text.split(separator: " ")
    guard parts.count == 4, let delay = Int64(parts[0]), (0...1_000_000).contains(delay),
      let since = InstantText.read(parts[1...])
    else { return nil }
    return QueueDue(since: since, delaySeconds: delay)
  }

  private static func result(_ text: String) -> RecipientResult? {
    let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let state = RecipientState(rawValue: String(first)) else {
      return nil
    }
    return RecipientResult(state: state, reply: parts.count > 1 ? String(parts[1]) : nil)
  }
}

/// What tells a file from a copy of it.
struct FileMark: Sendable, Hashable {
  var inode: UInt64
  /// Nanoseconds since 1970; 0 where the file system keeps none.
  var birthTime: Int64

  static let none = FileMark(inode: 0, birthTime: 0)

  func isSameFile(as other: FileMark) -> Bool {
    inode == other.inode
      && (birthTime == other.birthTime || birthTime == 0 || other.birthTime == 0)
  }

  static func read(_ text: String) -> FileMark? {
    let parts = text.split(separator: " ")
    guard parts.count == 2, let inode = UInt64(parts[0]), let birthTime = Int64(parts[1]) else {
      return nil
    }
    return FileMark(inode: inode, birthTime: birthTime)
  }
}
