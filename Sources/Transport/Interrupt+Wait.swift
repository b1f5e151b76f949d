import Foundation

extension Interrupt {
  /// Sleeps; false when woken by the interrupt.
  package func wait(seconds: Double) -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    while !isTriggered {
      let left = end.timeIntervalSinceNow
      if left <= 0 { return true }
      Thread.sleep(forTimeInterval: min(left, 0.1))
    }
    return false
  }
}
