/// What `date:`, `before:`, `after:` and `until:` take.
enum QueryDates {
  /// Unix seconds; `end` is the first second that is out. A range may turn out backwards.
  static func parse(_ text: String, field: QueryField, clock: QueryClock)
    -> (start: Int64, end: Int64)?
  {
    guard field == .date, let dots = text.rangeOfDots else {
      guard let period = QueryPeriod(text, clock: clock) else { return nil }
      switch field {
      case .before: return (.min, period.moments.lowerBound)
      case .until: return (.min, period.moments.upperBound)
      case .after: return (period.moments.lowerBound, .max)
      default: return (period.moments.lowerBound, period.moments.upperBound)
      }
    }
    let from = String(text[..<dots.lowerBound])
    let to = String(text[dots.upperBound...])
    guard !from.isEmpty || !to.isEmpty else { return nil }
    var start = Int64.min
    var end = Int64.max
    if !from.isEmpty {
      guard let period = QueryPeriod(from, clock: clock) else { return nil }
      start = period.moments.lowerBound
    }
    if !to.isEmpty {
      guard let period = QueryPeriod(to, clock: clock) else { return nil }
      end = period.moments.upperBound
    }
    return (start, end)
  }
}
