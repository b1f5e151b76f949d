/// Where a look at the server may be worth it. It says what a server told, and proves nothing.
package enum ServerHint: Sendable, Hashable {
  /// New messages, by the mailbox's name as the server spells it, as are those below.
  case arrived([UInt8])
  /// Flags, keywords, or messages that are gone.
  case changed([UInt8])
  /// A mailbox is there, or can be opened, that could not before; or the other way round.
  case mailboxes
  case renamed(from: [UInt8], to: [UInt8])
  /// Something was not told: all may have changed.
  case everything(reason: String)
}
