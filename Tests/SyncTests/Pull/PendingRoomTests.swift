import Testing

@testable import Sync

/// What all connections of a process share while their messages wait for a commit.
struct PendingRoomTests {
  @Test func `batches are cut short only where the room is full, and by who has enough to commit`()
  {
    let room = PendingRoom(messages: 1000)
    let large = PendingRoom.Share(of: room)
    let small = PendingRoom.Share(of: room)
    for _ in 0..<999 { large.add() }
    #expect(!large.isToBeEmptied)
    small.add()
    #expect(large.isToBeEmptied && !small.isToBeEmptied)
    large.empty()
    #expect(!large.isToBeEmptied && large.count == 0 && small.count == 1)
    for _ in 0..<999 { large.add() }
    #expect(large.isToBeEmptied)
  }

  @Test func `a connection that goes gives back what it had`() {
    let room = PendingRoom(messages: 300)
    let left = PendingRoom.Share(of: room)
    do {
      let gone = PendingRoom.Share(of: room)
      for _ in 0..<300 { gone.add() }
      for _ in 0..<299 { left.add() }
      #expect(gone.isToBeEmptied && left.isToBeEmptied)
    }
    #expect(!left.isToBeEmptied)
  }
}
