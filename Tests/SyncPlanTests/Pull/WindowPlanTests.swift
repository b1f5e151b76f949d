import Testing

@testable import SyncPlan

struct WindowPlanTests {
  static let day: Int64 = 86_400

  /// Ten bytes a message, newest first.
  private func plan(fitting budget: Int64, _ dates: Int64...) -> WindowPlan {
    WindowPlan.newest(fitting: budget, dates.map { (date: $0, size: Int64(10)) })
  }

  @Test func `days begin at midnight, so that two runs of one day agree`() {
    let early = WindowPlan.days(90, now: 1000 * Self.day + 5)
    let late = WindowPlan.days(90, now: 1001 * Self.day - 1)
    #expect(early == late)
    #expect(early.start == 910 * Self.day)
  }

  @Test func `all that fits is kept`() {
    #expect(plan(fitting: 30, 3 * Self.day, 2 * Self.day, Self.day) == .open)
  }

  @Test func `what does not fit is cut off by whole days`() {
    let cut = plan(fitting: 25, 3 * Self.day + 7, 2 * Self.day + 7, Self.day + 7)
    #expect(cut.start == 2 * Self.day)
  }

  @Test func `a newest day too large for the budget still leaves something`() {
    let cut = plan(fitting: 5, 3 * Self.day + 7, 3 * Self.day)
    #expect(cut.start == 3 * Self.day)
  }
}
