import Testing

@testable import Maildir

struct OwnWriteTableTests {
  let span = OwnWriteTable.span
  let change = OwnWrites.Change(
    kind: .came, directory: DirectoryIdentity(device: 1, inode: 2, birthTime: 0), name: 3)
  var table = OwnWriteTable()

  private mutating func takes(_ change: OwnWrites.Change) -> Bool { table.take(change, at: span) }
  private mutating func holds(at moment: Int64) -> Bool { table.holds(change, at: moment) }

  @Test mutating func `a change is known as often as it was made`() {
    table.add([change, change], at: span)
    #expect(holds(at: span))
    #expect(takes(change))
    #expect(takes(change))
    #expect(!takes(change))
    #expect(!holds(at: span))
  }

  @Test mutating func `coming is not going`() {
    table.add([change], at: span)
    let going = OwnWrites.Change(kind: .went, directory: change.directory, name: change.name)
    #expect(!takes(going))
  }

  @Test(arguments: [0, 1, 2, 3, 4])
  mutating func `it is kept for one span, and forgotten after two`(fifth: Int64) {
    let made = span + span * fifth / 5
    table.add([], at: span)
    table.add([change], at: made)
    #expect(holds(at: made + span - 1))
    #expect(!holds(at: made + 2 * span))
  }
}
