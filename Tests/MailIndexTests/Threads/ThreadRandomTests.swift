import Testing

@testable import MailIndex

/// Whatever comes and goes in whatever order, with junk of every kind: the threads are those of a
/// first build over what is left.
struct ThreadRandomTests {
  /// SplitMix64: the same runs everywhere.
  private struct Dice: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      return LinkKey.mixed(state)
    }
    mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &self) }
  }

  /// Conversations 0…2, replies at any depth: 22 bytes and five a level, as base64.
  private static func threadIndex(_ dice: inout Dice) -> String {
    let root = ["Acnk7AtURXtWl9jTRdGX7mDGIxfHtw", "AcZJXMEg7BHm/IX0SSuMswWV9Kglbg"]
    let tails = ["==", "AAAo8g==", "AAAo8gqFQACz", "AAAo8gqFQACzAAAAAAA="]
    return root[dice.roll(2)] + tails[dice.roll(4)]
  }

  private static func mail(_ name: String, _ dice: inout Dice, wide: Bool) -> Mail {
    let ids = wide ? 40 : 8
    func id(_ dice: inout Dice) -> String {
      switch dice.roll(wide ? 3 : 12) {
      case 0: "junk@x"
      case 1: "other-junk@x"
      default: "id\(dice.roll(ids))@x"
      }
    }
    let topic = [
      "lunch", "planning", "budget", "holidays", "release", "printer", "garden", "hi", "music",
    ]
    var mail = Mail(
      name, id: dice.roll(4) == 0 ? id(&dice) : "id\(dice.roll(ids))@x",
      subject: (dice.roll(2) == 0 ? "Re: " : "") + topic[dice.roll(topic.count)],
      from: "P <p\(dice.roll(wide ? 12 : 6))@x>", to: ["p1@x"],
      date: Int64(dice.roll(3) == 0 ? 600 : 86_400 * dice.roll(80)), unread: dice.roll(2) == 0,
      account: dice.roll(8) == 0 ? 2 : 1)
    if dice.roll(3) > 0 {
      mail.references = (0..<dice.roll(4)).map { _ in id(&dice) }
      mail.inReplyTo = (0..<dice.roll(3)).map { _ in id(&dice) }
      if wide, dice.roll(3) > 0 { mail.inReplyTo = ["junk@x"] }
      mail.isExactlyOneID = mail.inReplyTo.count == 1
    }
    if dice.roll(3) == 0 { mail.threadIndex = threadIndex(&dice) }
    return mail
  }

  private static let junk = (1...11).map {
    Mail(
      "junk\($0)", answers: ["junk@x"], subject: "statement \($0)", from: "bank\($0)@x",
      date: Int64($0) * 900_000)
  }

  @Test(arguments: 1...40)
  func `adds and removals in any order equal a first build`(seed: Int) throws {
    var dice = Dice(state: UInt64(seed))
    let lab = try ThreadLab()
    var there: [Mail] = []
    var sawHub = false
    for step in 0..<14 {
      var added = (0..<dice.roll(step % 3 == 0 ? 16 : 3)).map {
        Self.mail("s\(step)n\($0)", &dice, wide: seed % 2 == 0)
      }
      if step == 4, seed % 2 == 0 { added += Self.junk }
      there += added
      var removed: [String] = []
      for _ in 0..<dice.roll(5) where !there.isEmpty {
        removed.append(there.remove(at: dice.roll(there.count)).name)
      }
      let read = there.filter { $0.isUnread && dice.roll(6) == 0 }.map(\.name)
      for name in read {
        if let place = there.firstIndex(where: { $0.name == name }) {
          there[place].isUnread = false
        }
      }
      try lab.change(add: added, remove: removed, read: read)
      let dump = try lab.dump()
      try lab.rebuild()
      #expect(try lab.dump() == dump, "seed \(seed), step \(step)")
      sawHub = sawHub || dump.contains { $0.contains("thread_hub") }
    }
    let fresh = try ThreadLab()
    try fresh.build(there.shuffled(using: &dice))
    #expect(try fresh.seen() == lab.seen(), "seed \(seed)")
    try lab.checkNumbers()
    if seed % 2 == 0 { #expect(sawHub, "the dice are to make hubs") }
  }
}
