/// Numbers as people read them. No locale: scripts read these lines too.
package enum Quantities {
  /// `0 B`, `999 B`, `1.2 kB`, `34 MB`: powers of 1000, two digits or three.
  package static func bytes(_ count: Int64) -> String {
    guard count >= 1000 else { return "\(max(0, count)) B" }
    var value = Double(count)
    for unit in ["kB", "MB", "GB", "TB"] {
      value /= 1000
      if value < 999.5 || unit == "TB" { return "\(decimal(value)) \(unit)" }
    }
    return "\(count) B"
  }

  /// What ``bytes(_:)`` may have rounded to this text; nil where it makes no such texts.
  package static func bounds(ofBytes text: String) -> ClosedRange<Int64>? {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 2, let unit = ["B", "kB", "MB", "GB", "TB"].firstIndex(of: words[1]),
      let value = Double(words[0]), value >= 0, value < 100_000
    else { return nil }
    let one = (0..<unit).reduce(1.0) { one, _ in one * 1000 }
    let half = unit == 0 ? 0 : value < 10 ? 0.05 : 0.5
    return Int64(max(0, value - half) * one)...Int64((value + half) * one)
  }

  /// `0.8 s`, `12 s`, `3 min 20 s`, `2 h 5 min`.
  package static func seconds(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds > 0 else { return "0.0 s" }
    if seconds < 9.95 { return "\(decimal(seconds)) s" }
    let whole = Int(min(seconds.rounded(), 8_640_000))
    if whole < 60 { return "\(whole) s" }
    if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
    return "\(whole / 3600) h \(whole % 3600 / 60) min"
  }

  /// `1 message`, `2 messages`.
  package static func count(_ number: Int, _ noun: String, _ plural: String? = nil) -> String {
    "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
  }

  /// One digit after the point below 10, none above.
  private static func decimal(_ value: Double) -> String {
    if value >= 9.95 { return "\(Int(value.rounded()))" }
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
