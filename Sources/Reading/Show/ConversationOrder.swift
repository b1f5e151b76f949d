/// One message of a conversation, as far as its place in it goes.
package struct ConversationMember: Sendable, Equatable {
  package var id: Int64
  package var parent: Int64?
  /// Unix seconds.
  package var date: Int64
  package var isUnread: Bool

  package init(id: Int64, parent: Int64?, date: Int64, isUnread: Bool) {
    self.id = id
    self.parent = parent
    self.date = date
    self.isUnread = isUnread
  }
}

/// The order in which a conversation is read, and which of its messages are shown.
package enum ConversationOrder {
  /// Conversations of more messages than this are shown in part.
  package static let most = 50
  /// So many of them, the newest.
  package static let shown = 25

  /// By date, but no answer before what it answers, whatever its clock said.
  package static func sorted(_ members: [ConversationMember]) -> [ConversationMember] {
    let places = Dictionary(
      members.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { a, _ in a })
    let byDate = members.indices.sorted {
      (members[$0].date, members[$0].id) < (members[$1].date, members[$1].id)
    }
    var isPlaced = [Bool](repeating: false, count: members.count)
    var order: [ConversationMember] = []
    order.reserveCapacity(members.count)
    for index in byDate {
      var chain: [Int] = []
      var next: Int? = index
      while let place = next, !isPlaced[place] {
        isPlaced[place] = true
        chain.append(place)
        next = members[place].parent.flatMap { places[$0] }
      }
      for place in chain.reversed() { order.append(members[place]) }
    }
    return order
  }

  /// The newest ``shown`` of more than ``most``, with the newest unread one where that is older.
  ///
  /// - Parameters:
  ///   - order: as ``sorted(_:)`` gives it.
  ///   - older: how many times as many messages, the newest, are left out: the ``shown`` before them come then.
  package static func excerpt(
    _ order: [ConversationMember], older: Int = 0
  ) -> [ConversationMember] {
    if older > 0 {
      return order.count > most ? Array(order.dropLast(shown * older).suffix(shown)) : []
    }
    guard order.count > most else { return order }
    let tail = order.suffix(shown)
    let newestUnread = order.filter(\.isUnread).max { ($0.date, $0.id) < ($1.date, $1.id) }
    guard let newestUnread, !tail.contains(newestUnread) else { return Array(tail) }
    return [newestUnread] + tail
  }
}
