/// Whom an address of the web names, taken apart as browsers do (URL Standard §4.4).
struct WebPlace {
  var user: String?
  /// In ASCII and lower case; IPv4 in four numbers, IPv6 in brackets.
  var host: String
  /// Where it is not the scheme's own.
  var port: UInt16?
  /// Path, query and fragment, the path with slashes only.
  var rest: [UInt8]

  private static let backslash = UInt8(ascii: "\\")

  /// - Parameter address: what follows the scheme and its colon.
  /// - Returns: nil where browsers go nowhere.
  init?(_ address: ArraySlice<UInt8>, scheme: String) {
    // Any number of slashes, of either kind; one of either kind ends the host.
    let address = address.drop { $0 == ASCII.slash || $0 == Self.backslash }
    var authority = address.prefix {
      $0 != ASCII.slash && $0 != Self.backslash && $0 != ASCII.question && $0 != ASCII.number
    }
    let end = authority.endIndex
    if let at = authority.lastIndex(of: ASCII.at) {
      user = PercentEncoding.decode(authority[..<at])
      authority = authority[(at + 1)...]
      if user?.isEmpty ?? true { user = nil }
    }
    var digits: ArraySlice<UInt8>?
    let bracket = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
    if let colon = authority[bracket...].firstIndex(of: ASCII.colon) {
      digits = authority[(colon + 1)...]
      authority = authority[..<colon]
    }
    if let digits, !digits.isEmpty {
      guard digits.allSatisfy(ASCII.isDigit),
        let number = UInt16(String(decoding: digits, as: UTF8.self))
      else { return nil }
      let own: UInt16? = ["http": 80, "https": 443, "ftp": 21][scheme]
      port = number == own ? nil : number
    }
    guard let name = Self.host(authority) else { return nil }
    host = name
    let path = address[end...].prefix { $0 != ASCII.question && $0 != ASCII.number }
    rest =
      path.map { $0 == Self.backslash ? ASCII.slash : $0 }
      + address[path.endIndex...]
  }

  private static func host(_ bytes: ArraySlice<UInt8>) -> String? {
    if bytes.first == UInt8(ascii: "[") {
      guard bytes.count > 3, bytes.last == UInt8(ascii: "]"),
        bytes.dropFirst().dropLast().allSatisfy({
          ASCII.hexValue($0) != nil || $0 == ASCII.colon || $0 == ASCII.dot
        })
      else { return nil }
      return String(decoding: bytes.map(ASCII.lowered), as: UTF8.self)
    }
    guard let name = name(bytes) else { return nil }
    return endsInNumber(name.utf8) ? inFourNumbers(name) : name
  }

  /// Whether the last label is one that only addresses have.
  private static func endsInNumber(_ name: String.UTF8View) -> Bool {
    let labels = name.last == ASCII.dot ? name.dropLast() : name[...]
    let start = labels.lastIndex(of: ASCII.dot).map { labels.index(after: $0) } ?? labels.startIndex
    let last = labels[start...]
    guard let first = last.first, ASCII.isDigit(first) else { return false }
    return last.allSatisfy(ASCII.isDigit) || last.starts(with: "0x".utf8)
  }

  /// A name in ASCII and lower case: `xn--…` for labels of other characters; nil where it is none.
  static func name(_ bytes: ArraySlice<UInt8>) -> String? {
    // Most are plain, and a page has hundreds.
    if bytes.allSatisfy({
      ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == ASCII.dash || $0 == ASCII.dot
    }) {
      let name = String(decoding: bytes.map(ASCII.lowered), as: UTF8.self)
      return name.allSatisfy { $0 == "." } ? nil : name
    }
    let name = HostName(PlainLetters.fold(PercentEncoding.decode(bytes))).ascii
    let isName = name.utf8.allSatisfy { byte in
      byte > ASCII.space && byte < 0x7F && !"#/:<>?@[\\]^|%".utf8.contains(byte)
    }
    return isName && !name.allSatisfy { $0 == "." } ? name : nil
  }

  /// An IPv4 address however its numbers are written: `0x7f.1`, `2130706433`.
  private static func inFourNumbers(_ name: String) -> String? {
    var labels = name.split(separator: ".", omittingEmptySubsequences: false)
    if labels.last?.isEmpty ?? false { labels.removeLast() }
    let numbers = labels.map { label -> UInt64? in
      if label.hasPrefix("0x") {
        return label.count == 2 ? 0 : UInt64(label.dropFirst(2), radix: 16)
      }
      return label.count > 1 && label.hasPrefix("0") ? UInt64(label, radix: 8) : UInt64(label)
    }
    guard (1...4).contains(numbers.count), let last = numbers.last ?? nil else { return nil }
    var address: UInt64 = 0
    for number in numbers.dropLast() {
      guard let number, number < 256 else { return nil }
      address = address << 8 | number
    }
    let bits = UInt64(8 * (5 - numbers.count))
    guard last < 1 << bits else { return nil }
    address = address << bits | last
    return [24, 16, 8, 0].map { String(address >> UInt64($0) & 255) }.joined(separator: ".")
  }
}
