/// Numbers as HTTP writes them: digits alone, without a sign or a space.
enum Digits {
  /// Nil where there is no digit, anything else, or more than fits.
  static func number(_ bytes: some Collection<UInt8>, radix: Int) -> Int? {
    guard !bytes.isEmpty else { return nil }
    var number = 0
    for byte in bytes {
      guard let digit = digit(byte), digit < radix else { return nil }
      let (product, isTooLarge) = number.multipliedReportingOverflow(by: radix)
      let (sum, isStillTooLarge) = product.addingReportingOverflow(digit)
      if isTooLarge || isStillTooLarge { return nil }
      number = sum
    }
    return number
  }

  private static func digit(_ byte: UInt8) -> Int? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte - UInt8(ascii: "a")) + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte - UInt8(ascii: "A")) + 10
    default: nil
    }
  }
}
