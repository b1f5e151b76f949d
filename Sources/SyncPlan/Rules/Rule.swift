/// One row of ``Rules``: what was done here, what is so on the server, and what is done then.
struct Rule<Case, Outcome: Sendable>: Sendable {
  typealias Condition = @Sendable (Case) -> Bool
  let here: Condition?
  let there: Condition?
  let outcome: @Sendable (Case) -> Outcome

  /// A side that is left out does not matter.
  init(
    here: Condition? = nil, there: Condition? = nil,
    _ outcome: @escaping @Sendable (Case) -> Outcome
  ) {
    self.here = here
    self.there = there
    self.outcome = outcome
  }

  init(here: Condition? = nil, there: Condition? = nil, _ outcome: Outcome) {
    self.init(here: here, there: there) { _ in outcome }
  }

  fileprivate func holds(_ one: Case) -> Bool { here?(one) != false && there?(one) != false }
}

extension Array {
  /// What the first row says that holds. The last row of every table always does.
  func outcome<Case, Outcome>(of one: Case) -> Outcome
  where Element == Rule<Case, Outcome> {
    for rule in dropLast() where rule.holds(one) { return rule.outcome(one) }
    return self[count - 1].outcome(one)
  }
}
