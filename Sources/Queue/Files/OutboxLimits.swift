import Maildir

/// What the account's server said of itself last, for those who queue without asking it:
/// `.mirror/outbox/size-limit`, a number of bytes. Lost or wrong, it costs a message that the server
/// refuses in the end; so nothing of it is synced.
package enum OutboxLimits {
  static let name = "size-limit"

  /// The largest message that the server takes, line ends CRLF; nil where it is not known.
  package static func largestMessage(in tree: AccountTree) -> UInt64? {
    guard let folders = try? OutboxFolders.open(in: tree.control),
      let bytes = try? folders.outbox.read(name, atMost: 100)
    else { return nil }
    return UInt64(String(decoding: bytes.filter { $0 > 0x20 }, as: UTF8.self))
  }
}

extension OutboxSender {
  /// - Parameter largestMessage: nil where the server names no limit.
  package func note(largestMessage: UInt64?) {
    guard OutboxLimits.largestMessage(in: outbox.tree) != largestMessage else { return }
    let text = largestMessage.map(String.init) ?? ""
    try? outbox.folders.outbox.replace(
      OutboxLimits.name, with: Array("\(text)\n".utf8), durably: false)
  }
}
