/// What is to be read to answer a query, by kinds of source.
///
/// Text under one operator becomes one expression for FTS5, and conditions on rows become one
/// filter, so that SQLite does in one pass what it can; the rest is joined as sorted streams.
indirect enum SearchPlan: Sendable, Equatable {
  case everything
  case nothing
  case text(TextMatch)
  case rows(RowFilter)
  case keywords([Int64])
  case folders([Int64])
  case lists([String])
  case mediaTypes([String])
  case blindCopy(String)
  case id(String)
  case thread(Int64)
  case threads(SearchPlan)
  case and([SearchPlan])
  case or([SearchPlan])
  case not(SearchPlan)

  static func all(_ plans: [SearchPlan]) -> SearchPlan {
    var plans = plans.flatMap { plan in
      if case .and(let inner) = plan { inner } else { [plan] }
    }
    if plans.contains(.nothing) { return .nothing }
    plans.removeAll { $0 == .everything }
    merge(&plans, texts: TextMatch.all, rows: RowFilter.all)
    subtractText(&plans)
    return plans.isEmpty ? .everything : plans.count == 1 ? plans[0] : .and(plans)
  }

  static func any(_ plans: [SearchPlan]) -> SearchPlan {
    var plans = plans.flatMap { plan in
      if case .or(let inner) = plan { inner } else { [plan] }
    }
    if plans.contains(.everything) { return .everything }
    plans.removeAll { $0 == .nothing }
    merge(&plans, texts: TextMatch.any, rows: RowFilter.any)
    return plans.isEmpty ? .nothing : plans.count == 1 ? plans[0] : .or(plans)
  }

  var inverted: SearchPlan {
    switch self {
    case .everything: .nothing
    case .nothing: .everything
    case .rows(let filter): filter.inverted.map { .rows($0) } ?? .not(self)
    case .not(let plan): plan
    default: .not(self)
    }
  }

  /// One text and one filter of all that there are, put first.
  private static func merge(
    _ plans: inout [SearchPlan], texts: ([TextMatch]) -> TextMatch?,
    rows: ([RowFilter]) -> RowFilter?
  ) {
    var matches: [TextMatch] = []
    var filters: [RowFilter] = []
    var others: [SearchPlan] = []
    for plan in plans {
      switch plan {
      case .text(let match): matches.append(match)
      case .rows(let filter): filters.append(filter)
      default: others.append(plan)
      }
    }
    let text = texts(matches).map { [SearchPlan.text($0)] } ?? matches.map { .text($0) }
    let row = rows(filters).map { [SearchPlan.rows($0)] } ?? filters.map { .rows($0) }
    plans = text + row + others
  }

  /// `a AND NOT b`, both text: FTS5 does it.
  private static func subtractText(_ plans: inout [SearchPlan]) {
    guard case .text(var match)? = plans.first else { return }
    var rest: [SearchPlan] = []
    for plan in plans.dropFirst() {
      if case .not(.text(let other)) = plan, let less = match.without(other) {
        match = less
      } else {
        rest.append(plan)
      }
    }
    plans = [.text(match)] + rest
  }
}
