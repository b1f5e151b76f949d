import Maildir

/// What the account's server said of itself last, for those who queue without asking it:
/// `.mirror/outbox/size-limit`, a number of bytes and the server that it is of. Lost or wrong, it costs a message that
/// the server refuses in the end; so nothing of it is synced.
package enum OutboxLimits {
  static let name = "size-limit"

  /// The largest message that the server takes, line ends CRLF; nil where it is not known.
  ///
  /// - Parameter server: `host:port`. What another one said, by which the account sent before, is nothing to go by.
  package static func largestMessage(in tree: AccountTree, of server: String) -> UInt64? {
    guard let folders = try? OutboxFolders.open(in: tree.control),
      let bytes = try? folders.outbox.read(name, atMost: 1000)
    else { return nil }
    let words = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
    guard words.count == 2, words[1] == server else { return nil }
    return UInt64(words[0])
  }
}

extension OutboxSender {
  /// - Parameters:
  ///   - largestMessage: nil where the server names no limit.
  ///   - server: as with ``OutboxLimits/largestMessage(in:of:)``.
  package func note(largestMessage: UInt64?, of server: String) {
    let known = OutboxLimits.largestMessage(in: outbox.tree, of: server)
    guard known != largestMessage else { return }
    let text = largestMessage.map { "\($0) \(server)" } ?? ""
    try? outbox.folders.outbox.replace(
      OutboxLimits.name, with: Array("\(text)\n".utf8), durably: false)
  }
}
