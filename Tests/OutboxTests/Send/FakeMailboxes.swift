import Outbox

/// Mailboxes in memory.
final class FakeMailboxes: SentMailboxes {
  var sent: [(id: String, bytes: [UInt8])] = []
  var proven: Set<String> = []
  var appendFails = false
  private(set) var appends = 0

  /// Message-IDs whose APPEND is refused.
  var refused: Set<String> = []
  var isUsable = true
  /// What was looked for.
  private(set) var sought: [SoughtMessage] = []

  func sentHolds(_ sought: SoughtMessage) throws -> Bool {
    sent.contains { $0.id == sought.messageID }
  }

  func append(
    size: UInt64, internalDate: Int64, read: @escaping (inout [UInt8]) throws -> Int
  ) throws {
    appends += 1
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1000)
    while case let count = try read(&block), count > 0 { bytes += block[..<count] }
    let text = String(decoding: bytes, as: UTF8.self)
    let id =
      text.split(separator: "\n").first { $0.hasPrefix("Message-ID: <") }
      .map { String($0.dropFirst("Message-ID: <".count).dropLast()) } ?? ""
    struct Refused: Error {}
    if refused.contains(id) { throw Refused() }
    sent.append((id, bytes))
    struct Gone: Error {}
    if appendFails { throw Gone() }
  }

  func proof(of sought: SoughtMessage) throws -> String? {
    self.sought.append(sought)
    return sought.messageID.flatMap { proven.contains($0) ? "Sent" : nil }
  }

  func close() {}
}
