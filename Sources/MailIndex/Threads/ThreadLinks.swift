/// Where a message's parent comes from: `message.link`.
package enum ThreadLinkSource: UInt8, Sendable {
  case none = 0
  case inReplyTo = 1
  case reference = 2
  case threadIndex = 3
  case subject = 4
}

/// What ``ThreadLinker`` found, by the places of the messages it was given: 9 bytes a message beside ``ThreadPlaces``.
struct ThreadLinks: Sendable {
  var places: ThreadPlaces
  /// The place of the thread's first message by number.
  var thread: [Int32]
  /// -1 for none.
  var parent: [Int32]
  var source: [ThreadLinkSource]
  /// Keys that join nothing.
  var hubs: Set<UInt64>

  func threadID(_ place: Int) -> Int64 { places.ids[Int(thread[place])] }

  func parentID(_ place: Int) -> Int64? {
    parent[place] < 0 ? nil : places.ids[Int(parent[place])]
  }
}
