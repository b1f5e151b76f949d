import MIME

/// A row of `thread`, made from its messages in whatever order they come.
struct ThreadRow {
  struct Member {
    let id: Int64
    let date: Int64
    let rank: UInt32
    let isUnread: Bool
    let isRoot: Bool

    /// As ``ThreadPlaces/precedes(_:_:)``.
    func precedes(_ other: Member) -> Bool {
      if date != other.date { return date < other.date }
      if rank != other.rank { return rank < other.rank }
      return id < other.id
    }
  }

  /// The thread's subject by its root's; nil where they are the same.
  static func subject(root: String) -> String? {
    let subject = BaseSubject.withoutPrefixes(root)
    return subject == root ? nil : subject
  }

  private var members: [Member] = []
  private(set) var unread = 0

  var count: Int { members.count }

  mutating func add(_ member: Member) {
    members.append(member)
    if member.isUnread { unread += 1 }
  }

  /// The earliest root, whose subject is the thread's, and the latest message, whose snippet is.
  var ends: (root: Member, latest: Member)? {
    guard var latest = members.first, var root = members.first(where: \.isRoot) ?? members.first
    else { return nil }
    for member in members {
      if latest.precedes(member) { latest = member }
      if member.isRoot, member.precedes(root) { root = member }
    }
    return (root, latest)
  }
}
