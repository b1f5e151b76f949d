#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A time as a Date field writes it.
package struct MessageMoment: Sendable, Equatable {
  package var seconds: Int64
  /// East of Greenwich.
  package var zoneMinutes: Int

  package static func now() -> MessageMoment {
    var now = time(nil)
    var local = tm()
    localtime_r(&now, &local)
    return MessageMoment(seconds: Int64(now), zoneMinutes: local.tm_gmtoff / 60)
  }

  // date-time = [ day-of-week "," ] date time, RFC 5322 §3.3
  package var text: String {
    var shifted = time_t(seconds + Int64(zoneMinutes * 60))
    var fields = tm()
    gmtime_r(&shifted, &fields)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    let clock = [fields.tm_hour, fields.tm_min, fields.tm_sec].map { two(Int($0)) }
    let zone = abs(zoneMinutes)
    let sign = zoneMinutes < 0 ? "-" : "+"
    return "\(days[Int(fields.tm_wday) % 7]), \(fields.tm_mday) \(months[Int(fields.tm_mon) % 12]) "
      + "\(fields.tm_year + 1900) \(clock.joined(separator: ":")) \(sign)\(two(zone / 60))\(two(zone % 60))"
  }

  private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
