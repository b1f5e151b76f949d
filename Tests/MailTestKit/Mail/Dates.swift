private let months = [
  "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
]
private let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

/// `Sun, 13 Sep 2020 12:26:40 +0000`
package func rfc5322Date(_ seconds: Int64) -> String {
  let (year, month, day) = civil(seconds)
  let weekday = weekdays[Int(((seconds / 86_400) % 7 + 7) % 7)]
  return "\(weekday), \(two(day)) \(months[month - 1]) \(year) \(time(seconds)) +0000"
}

/// `13-Sep-2020 12:26:40 +0000`, as INTERNALDATE and APPEND write it.
package func internalDateText(_ seconds: Int64) -> String {
  let (year, month, day) = civil(seconds)
  return "\(two(day))-\(months[month - 1])-\(year) \(time(seconds)) +0000"
}

/// Unix seconds of an INTERNALDATE, whatever its zone.
package func internalDate(_ text: String) -> Int64? {
  let parts = text.split(whereSeparator: { " -:".contains($0) })
  guard text.count >= 20, parts.count >= 6, let day = Int(parts[0]),
    let month = months.firstIndex(of: String(parts[1])), let year = Int(parts[2]),
    let hour = Int(parts[3]), let minute = Int(parts[4]), let second = Int(parts[5])
  else { return nil }
  let zone = text.suffix(5)
  let digits = Int(zone.dropFirst()) ?? 0
  let offset = (digits / 100 * 3600 + digits % 100 * 60) * (zone.hasPrefix("-") ? -1 : 1)
  let days = daysSince1970(year, month + 1, day)
  return Int64(days * 86_400 + hour * 3600 + minute * 60 + second - offset)
}

private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

private func time(_ seconds: Int64) -> String {
  let second = Int((seconds % 86_400 + 86_400) % 86_400)
  return "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))"
}

/// Gregorian date by Hinnant's `civil_from_days`.
private func civil(_ seconds: Int64) -> (year: Int, month: Int, day: Int) {
  let z = Int((seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400) + 719_468
  let era = (z >= 0 ? z : z - 146_096) / 146_097
  let doe = z - era * 146_097
  let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365
  let doy = doe - (365 * yoe + yoe / 4 - yoe / 100)
  let mp = (5 * doy + 2) / 153
  let month = mp < 10 ? mp + 3 : mp - 9
  return (yoe + era * 400 + (month <= 2 ? 1 : 0), month, doy - (153 * mp + 2) / 5 + 1)
}

private func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
  let y = month <= 2 ? year - 1 : year
  let era = (y >= 0 ? y : y - 399) / 400
  let yoe = y - era * 400
  let doy = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
  return era * 146_097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719_468
}
