extension Window {
  /// `all`, `90d`, or a number with `kB`, `MB`, `GB`, `TB` (powers of 1000) or `KiB`, `MiB`, `GiB`, `TiB`.
  ///
  /// Nil for anything else, for zero, and for what overflows.
  init?(text: String) {
    if text == "all" {
      self = .all
      return
    }
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text[digits.endIndex...]
    guard let number = Int64(digits), number > 0 else { return nil }
    if unit == "d" {
      guard number <= 100_000 else { return nil }
      self = .days(Int(number))
      return
    }
    guard let factor = Self.factors[String(unit)] else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: factor)
    guard !overflow else { return nil }
    self = .bytes(bytes)
  }

  /// As the configuration spells it: sizes in the largest unit that leaves no rest.
  package var text: String {
    switch self {
    case .all: return "all"
    case .days(let days): return "\(days)d"
    case .bytes(let bytes):
      let whole = Self.factors.filter { bytes % $0.value == 0 }.max { $0.value < $1.value }
      return whole.map { "\(bytes / $0.value)\($0.key)" } ?? "\(bytes)"
    }
  }

  private static let factors: [String: Int64] = [
    "kB": 1000, "MB": 1_000_000, "GB": 1_000_000_000, "TB": 1_000_000_000_000,
    "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
  ]
}
