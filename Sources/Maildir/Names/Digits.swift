import MailCore

extension [UInt8] {
  mutating func appendDecimal(_ value: Int64) {
    // Nineteen digits and a sign.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var place = digits.count
      var left = value.magnitude
      repeat {
        place -= 1
        digits[place] = UInt8(ascii: "0") + UInt8(left % 10)
        left /= 10
      } while left > 0
      if value < 0 {
        place -= 1
        digits[place] = UInt8(ascii: "-")
      }
      append(contentsOf: digits[place...])
    }
  }

  /// 16 lower-case digits.
  mutating func appendHex(_ value: UInt64) {
    for shift in stride(from: UInt64(60), through: 0, by: -4) {
      append(Hex.digit(UInt8((value >> shift) & 15)))
    }
  }
}

extension ArraySlice<UInt8> {
  /// Removes the byte from the front; false when another stands there.
  mutating func take(_ byte: UInt8) -> Bool {
    guard first == byte else { return false }
    removeFirst()
    return true
  }

  /// Removes a decimal number; nil when there is none, or it has leading zeros or overflows.
  mutating func takeUInt64() -> UInt64? {
    var value: UInt64 = 0
    let start = startIndex
    while let byte = first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
      let (product, high) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
      guard !high, !carry else { return nil }
      value = sum
      removeFirst()
    }
    guard startIndex > start else { return nil }
    return value
  }

  mutating func takeUInt32() -> UInt32? { takeUInt64().flatMap { UInt32(exactly: $0) } }

  mutating func takeSigned() -> Int64? {
    let negative = take(UInt8(ascii: "-"))
    guard let magnitude = takeUInt64().flatMap({ Int64(exactly: $0) }) else { return nil }
    return negative ? -magnitude : magnitude
  }

  /// Removes exactly 16 lower-case hex digits.
  mutating func takeHex64() -> UInt64? {
    guard count >= 16 else { return nil }
    var value: UInt64 = 0
    for byte in prefix(16) {
      guard byte < UInt8(ascii: "A") || byte > UInt8(ascii: "F"), let digit = Hex.value(byte) else {
        return nil
      }
      value = value << 4 | UInt64(digit)
    }
    removeFirst(16)
    return value
  }
}
