import Testing

@testable import SyncPlan

/// ``Rules/mergeBase``, row by row.
struct MergeRulesTests {
  @Test func `a file that was found is merged from what both sides have`() {
    #expect(Rules.mergeBase.outcome(of: MergedMessage(wasFound: true)) == .whatBothHave)
  }

  @Test func `a message that was delivered is merged from what was agreed`() {
    #expect(Rules.mergeBase.outcome(of: MergedMessage(wasFound: false)) == .whatWasAgreed)
  }
}
