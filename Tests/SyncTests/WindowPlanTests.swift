import Testing

@testable import Sync

struct WindowPlanTests {
  let day: Int64 = 86_400

  @Test func `days begin at midnight, so that two runs of one day agree`() {
    #expect(WindowPlan.days(90, now: 1000 * day + 5) == WindowPlan.days(90, now: 1001 * day - 1))
    #expect(WindowPlan.days(90, now: 1000 * day).start == 910 * day)
  }

  @Test func `all that fits is kept`() {
    #expect(WindowPlan.newest(fitting: 30, [(3 * day, 10), (2 * day, 10), (day, 10)]) == .open)
  }

  @Test func `what does not fit is cut off by whole days`() {
    let plan = WindowPlan.newest(
      fitting: 25, [(3 * day + 7, 10), (2 * day + 7, 10), (day + 7, 10)])
    #expect(plan.start == 2 * day)
  }

  @Test func `a newest day too large for the budget still leaves something`() {
    let plan = WindowPlan.newest(fitting: 5, [(3 * day + 7, 10), (3 * day, 10)])
    #expect(plan.start == 3 * day)
  }
}
