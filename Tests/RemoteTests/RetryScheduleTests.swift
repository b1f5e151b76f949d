import Foundation
import Testing

@testable import Remote

/// How often a connection that was lost is made anew.
struct RetryScheduleTests {
  private let schedule = RetrySchedule(environment: ["MIRROR_RETRY_SECONDS": "0,0,0"])

  private func attempts() -> Int {
    var count = 0
    while count < 10, schedule.next(connectedAt: Date()) != nil { count += 1 }
    return count
  }

  @Test func `three times`() { #expect(attempts() == 3) }

  @Test func `what is left out from now on does not count, where something else succeeds`() {
    #expect(attempts() == 3)
    schedule.forgive(2)
    #expect(attempts() == 0)
    schedule.succeeded()
    #expect(attempts() == 2)
    // One success is no word for what comes after.
    schedule.forgive(2)
    #expect(attempts() == 0)
  }
}
