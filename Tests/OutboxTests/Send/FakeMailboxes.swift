import Outbox

/// Mailboxes in memory.
final class FakeMailboxes: SentMailboxes {
  var sent: [(id: String, bytes: [UInt8])] = []
  var proven: Set<String> = []
  var appendFails = false
  private(set) var appends = 0
  /// Looks that do not show what was appended: the server is still at work.
  var looksTooEarly = 0

  /// Message-IDs whose APPEND is refused.
  var refused: Set<String> = []
  var isUsable = true
  /// What was looked for.
  private(set) var sought: [SoughtMessage] = []

  func sentHolds(_ sought: [SoughtMessage]) throws -> [Result<Bool, any Error>] {
    let isTooEarly = looksTooEarly > 0
    looksTooEarly -= isTooEarly ? 1 : 0
    return sought.map { one in .success(!isTooEarly && sent.contains { $0.id == one.messageID }) }
  }

  func append(_ copies: [SentCopyUpload]) throws -> [(any Error)?] {
    let refusals = try copies.map(append)
    struct Gone: Error {}
    if appendFails { throw Gone() }
    return refusals
  }

  private func append(_ copy: SentCopyUpload) throws -> (any Error)? {
    appends += 1
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1000)
    while case let count = try copy.read(&block), count > 0 { bytes += block[..<count] }
    let text = String(decoding: bytes, as: UTF8.self)
    let id =
      text.split(separator: "\n").first { $0.hasPrefix("Message-ID: <") }
      .map { String($0.dropFirst("Message-ID: <".count).dropLast()) } ?? ""
    struct Refused: Error {}
    if refused.contains(id) { return Refused() }
    sent.append((id, bytes))
    return nil
  }

  func proof(of sought: SoughtMessage) throws -> String? {
    self.sought.append(sought)
    return sought.messageID.flatMap { proven.contains($0) ? "Sent" : nil }
  }

  func close() {}
}
