import MailTestKit
import Testing

extension SendKillTests {
  /// What is in flight at once differs where many messages share a connection, so these die at places that chance
  /// picks; the seed tells them again.
  @Test(arguments: 1...(isLong ? 40 : 2))
  func `push of a longer queue killed anywhere sends each once or parks it`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let hasExim = SendScenario.installed.contains(.exim)
    let software: SendScenario.Software = hasExim && seed.isMultiple(of: 2) ? .exim : .postfix
    let subjects = ["one", "two", "three", "four", "five"]
    let counts = try countedPush(Self.calls, queued(subjects, on: software).send)
    let calls = Self.calls.filter { (counts[$0] ?? 0) > 0 }
    var kills = 0
    for _ in 0..<(Self.isLong ? 20 : 2) {
      let call = random.pick(calls)
      let total = counts[call] ?? 0
      let number = 1 + random.below(total)
      let (send, bob) = try queued(subjects, on: software)
      let place = "seed \(seed): \(software) \(call) \(number) of \(total)"
      kills += try killPush(send, bob, at: call, number, place, subjects: subjects) ? 1 : 0
    }
    #expect(kills > 0 || !Self.isLong, "no place was reached")
  }
}
