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
