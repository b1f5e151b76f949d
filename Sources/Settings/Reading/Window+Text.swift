extension Window {
  /// `all`, `90d`, or a number with `kB`, `MB`, `GB`, `TB` (powers of 1000) or `KiB`, `MiB`, `GiB`, `TiB`, in any case and
  /// without the B; days and a size together with a comma.
  ///
  /// Nil for anything else, for zero, for the same kind twice, and for what overflows.
  init?(text: String) {
    self.init()
    if text == "all" { return }
    let bounds = text.split(separator: ",", omittingEmptySubsequences: false)
    for bound in bounds {
      let bound = bound.trimmingPrefix { $0 == " " }
      if let days = Self.days(bound), self.days == nil {
        self.days = days
      } else if let bytes = Self.bytes(bound), self.bytes == nil {
        self.bytes = bytes
      } else {
        return nil
      }
    }
  }

  private static func days(_ text: Substring) -> Int? {
    guard text.hasSuffix("d"), let days = number(text.dropLast()), days <= 100_000 else {
      return nil
    }
    return Int(days)
  }

  /// A size alone.
  static func bytes(_ text: Substring) -> Int64? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text[digits.endIndex...].trimmingPrefix { $0 == " " }
    guard let factor = factor(unit), let number = number(digits) else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: factor)
    return overflow ? nil : bytes
  }

  /// Units are written in many ways: 100kB, 100KB, 100K.
  private static func factor(_ unit: Substring) -> Int64? {
    let wanted = unit.lowercased()
    return factors.first { name, _ in
      let name = name.lowercased()
      return wanted == name || wanted == name.dropLast()
    }?.value
  }

  private static func number(_ digits: Substring) -> Int64? {
    guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int64(digits), number > 0
    else { return nil }
    return number
  }

  /// As the configuration spells it: sizes in the largest unit that leaves no rest.
  package var text: String {
    let bounds = [days.map { "\($0)d" }, bytes.map(Self.text)].compactMap(\.self)
    return bounds.isEmpty ? "all" : bounds.joined(separator: ", ")
  }

  private static func text(_ bytes: Int64) -> String {
    let whole = factors.filter { bytes % $0.value == 0 }.max { $0.value < $1.value }
    return whole.map { "\(bytes / $0.value)\($0.key)" } ?? "\(bytes)"
  }

  private static let factors: [String: Int64] = [
    "kB": 1000, "MB": 1_000_000, "GB": 1_000_000_000, "TB": 1_000_000_000_000,
    "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
  ]
}
