/// Where a message's parent comes from: `message.link`.
package enum ThreadLinkSource: UInt8, Sendable {
  case none = 0
  case inReplyTo = 1
  case reference = 2
  case threadIndex = 3
  case subject = 4
}

/// What ``ThreadLinker`` found, by the places of the messages it was given.
struct ThreadLinks: Sendable {
  /// The place of the thread's first message by number.
  var thread: [Int32]
  /// -1 for none.
  var parent: [Int32]
  var source: [ThreadLinkSource]
  /// Keys that join nothing.
  var hubs: Set<UInt64>
}
