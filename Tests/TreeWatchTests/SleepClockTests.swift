import Testing

@testable import TreeWatch

struct SleepClockTests {
  @Test func `a jump of one clock is a sleep, told once`() {
    var clock = SleepClock(ahead: 500)
    #expect(clock.slept(ahead: 501) == nil)
    #expect(clock.slept(ahead: 499) == nil)
    #expect(clock.slept(ahead: 60_499) == .seconds(60))
    #expect(clock.slept(ahead: 60_499) == nil)
  }

  @Test func `a machine that is awake does not sleep`() {
    var clock = SleepClock()
    #expect(clock.slept() == nil)
    #expect(SleepClock.now >= SleepClock.awake - 1000)
  }
}
