import Synchronization

/// How many messages wait for a commit on all connections of this process. Each costs about a kibibyte of memory, so that
/// many accounts at once make smaller batches.
final class PendingRoom: Sendable {
  static let ofProcess = PendingRoom(messages: 8000)

  private let size: Int
  private let waiting = Atomic(0)

  init(messages: Int) { size = messages }

  /// What one connection has in it; it gives all back when it goes.
  final class Share {
    private let room: PendingRoom
    private(set) var count = 0

    init(of room: PendingRoom) { self.room = room }

    deinit { empty() }

    func add() {
      count += 1
      room.waiting.add(1, ordering: .relaxed)
    }

    func empty() {
      room.waiting.subtract(count, ordering: .relaxed)
      count = 0
    }

    /// Others have need of the room, and a commit is worth it here.
    var isToBeEmptied: Bool {
      count >= PendingRoom.least && room.waiting.load(ordering: .relaxed) >= room.size
    }
  }

  /// Fewer messages than these are not worth a sync of their own.
  private static let least = 250
}
