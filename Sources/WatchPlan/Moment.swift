/// A point in time as the caller's clock has it, which must go on while the machine sleeps.
package struct Moment: Comparable, Hashable, Sendable {
  package var milliseconds: Int64

  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  package static func < (a: Moment, b: Moment) -> Bool { a.milliseconds < b.milliseconds }

  package static func + (moment: Moment, wait: Duration) -> Moment {
    Moment(milliseconds: moment.milliseconds + wait.inMilliseconds)
  }

  package static func - (a: Moment, b: Moment) -> Duration {
    .milliseconds(a.milliseconds - b.milliseconds)
  }
}

extension Duration {
  var inMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }
}

/// The earlier of two moments of which either may not come.
func earlier(_ a: Moment?, _ b: Moment?) -> Moment? {
  guard let a, let b else { return a ?? b }
  return min(a, b)
}
