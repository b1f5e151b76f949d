/// The encoding of a Unicode label in letters, digits and hyphens (RFC 3492).
package enum Punycode {
  private static let base: UInt32 = 36
  private static let tMin: UInt32 = 1
  private static let tMax: UInt32 = 26

  /// Without the prefix `xn--`; nil on overflow, which no label of 63 bytes reaches.
  package static func encode(_ scalars: some Collection<Unicode.Scalar>) -> String? {
    let input = scalars.map(\.value)
    var output = input.filter { $0 < 0x80 }.map { UInt8($0) }
    let basic = output.count
    if basic > 0 { output.append(UInt8(ascii: "-")) }
    var (n, delta, bias) = (UInt32(128), UInt32(0), UInt32(72))
    var handled = basic
    while handled < input.count {
      guard let next = input.filter({ $0 >= n }).min() else { return nil }
      let (step, overflows) = (next - n).multipliedReportingOverflow(by: UInt32(handled + 1))
      guard !overflows, delta.addingReportingOverflow(step).overflow == false else { return nil }
      delta += step
      n = next
      for value in input {
        if value < n { delta += 1 }
        guard value == n else { continue }
        append(delta, bias: bias, to: &output)
        bias = adapted(delta, points: UInt32(handled + 1), isFirst: handled == basic)
        delta = 0
        handled += 1
      }
      delta += 1
      n += 1
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// - Parameter label: without the prefix `xn--`.
  /// - Returns: nil where it is no such encoding.
  package static func decode(_ label: some StringProtocol) -> [Unicode.Scalar]? {
    let input = Array(label.utf8)
    let hyphen = input.lastIndex(of: UInt8(ascii: "-"))
    var output = (hyphen.map { input[..<$0] } ?? [])[...].map { UInt32($0) }
    guard output.allSatisfy({ $0 < 0x80 }) else { return nil }
    var (n, place, bias) = (UInt32(128), UInt32(0), UInt32(72))
    var index = hyphen.map { $0 + 1 } ?? 0
    while index < input.count {
      let old = place
      var weight: UInt32 = 1
      var k = base
      while true {
        guard index < input.count, let digit = value(input[index]) else { return nil }
        index += 1
        let (step, overflows) = digit.multipliedReportingOverflow(by: weight)
        guard !overflows, !place.addingReportingOverflow(step).overflow else { return nil }
        place += step
        let threshold = k <= bias ? tMin : min(k - bias, tMax)
        if digit < threshold { break }
        let (next, tooMuch) = weight.multipliedReportingOverflow(by: base - threshold)
        guard !tooMuch else { return nil }
        weight = next
        k += base
      }
      let count = UInt32(output.count + 1)
      bias = adapted(place - old, points: count, isFirst: old == 0)
      guard !n.addingReportingOverflow(place / count).overflow else { return nil }
      n += place / count
      place %= count
      output.insert(n, at: Int(place))
      place += 1
    }
    let scalars = output.compactMap { Unicode.Scalar($0) }
    return scalars.count == output.count ? scalars : nil
  }

  private static func value(_ digit: UInt8) -> UInt32? {
    switch digit {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a"))
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 26
    default: nil
    }
  }

  /// One number as a variable-length integer (§3.3).
  private static func append(_ number: UInt32, bias: UInt32, to output: inout [UInt8]) {
    var q = number
    var k = base
    while true {
      let threshold = k <= bias ? tMin : min(k - bias, tMax)
      if q < threshold { break }
      output.append(digit(threshold + (q - threshold) % (base - threshold)))
      q = (q - threshold) / (base - threshold)
      k += base
    }
    output.append(digit(q))
  }

  /// §6.1
  private static func adapted(_ delta: UInt32, points: UInt32, isFirst: Bool) -> UInt32 {
    var delta = isFirst ? delta / 700 : delta / 2
    delta += delta / points
    var k: UInt32 = 0
    while delta > ((base - tMin) * tMax) / 2 {
      delta /= base - tMin
      k += base
    }
    return k + (base - tMin + 1) * delta / (delta + 38)
  }

  private static func digit(_ value: UInt32) -> UInt8 {
    value < 26 ? UInt8(ascii: "a") + UInt8(value) : UInt8(ascii: "0") + UInt8(value - 26)
  }
}
