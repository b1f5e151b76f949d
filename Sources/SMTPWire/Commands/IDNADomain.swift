/// Domain names in ASCII: `exämple.org` is `xn--exmple-cua.org` (RFC 5890, RFC 3492).
///
/// The caller gives names in Unicode NFC; letters are lowered here. That is enough for names that
/// people write, and no check of which names are registrable.
package enum IDNADomain {
  /// Nil where a label gets too long or is empty.
  package static func ascii(_ domain: some StringProtocol) -> String? {
    // IDEOGRAPHIC FULL STOP and its kin separate labels, too (RFC 3490 §3.1).
    let labels = domain.unicodeScalars.split(omittingEmptySubsequences: false) {
      [0x2E, 0x3002, 0xFF0E, 0xFF61].contains($0.value)
    }
    var names: [String] = []
    for label in labels {
      guard let name = ascii(label: String(String.UnicodeScalarView(label))), !name.isEmpty,
        name.utf8.count <= 63
      else { return nil }
      names.append(name)
    }
    let name = names.joined(separator: ".")
    return name.utf8.count <= 255 ? name : nil
  }

  private static func ascii(label: String) -> String? {
    if label.utf8.allSatisfy({ $0 < 0x80 }) { return label }
    return punycode(Array(label.lowercased().unicodeScalars)).map { "xn--" + $0 }
  }

  /// RFC 3492 §6.3.
  private static func punycode(_ scalars: [Unicode.Scalar]) -> String? {
    guard scalars.count <= 63 else { return nil }
    var output = String(String.UnicodeScalarView(scalars.filter { $0.value < 0x80 }))
    let basic = output.unicodeScalars.count
    if basic > 0 { output += "-" }
    var n: UInt32 = 128
    var delta: UInt32 = 0
    var bias: UInt32 = 72
    var handled = UInt32(basic)
    while handled < scalars.count {
      guard let next = scalars.map(\.value).filter({ $0 >= n }).min() else { return nil }
      let (product, overflow) = (next - n).multipliedReportingOverflow(by: handled + 1)
      guard !overflow, delta <= .max - product else { return nil }
      delta += product
      n = next
      for scalar in scalars {
        if scalar.value < n { delta += 1 }
        if scalar.value == n {
          output += digits(of: delta, bias: bias)
          bias = adapted(delta, count: handled + 1, isFirst: handled == basic)
          delta = 0
          handled += 1
        }
      }
      delta += 1
      n += 1
    }
    return output
  }

  private static func digits(of delta: UInt32, bias: UInt32) -> String {
    var text = ""
    var left = delta
    var k: UInt32 = 36
    while true {
      let threshold = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias
      if left < threshold { break }
      text.unicodeScalars.append(digit(threshold + (left - threshold) % (36 - threshold)))
      left = (left - threshold) / (36 - threshold)
      k += 36
    }
    text.unicodeScalars.append(digit(left))
    return text
  }

  /// a–z, then 0–9.
  private static func digit(_ value: UInt32) -> Unicode.Scalar {
    Unicode.Scalar(UInt8(value < 26 ? value + 97 : value - 26 + 48))
  }

  private static func adapted(_ delta: UInt32, count: UInt32, isFirst: Bool) -> UInt32 {
    var delta = isFirst ? delta / 700 : delta / 2
    delta += delta / count
    var k: UInt32 = 0
    while delta > 455 {
      delta /= 35
      k += 36
    }
    return k + 36 * delta / (delta + 38)
  }
}
