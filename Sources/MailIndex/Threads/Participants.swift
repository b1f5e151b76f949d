/// The people of a thread in order of first appearance, short: "Ann Lee, Bob, carol@example.org".
///
/// Who writes from one address under several names, or under one name from several addresses, stands
/// there once. No name holds a comma, so the text can be taken apart at ", " again.
struct Participants {
  static let most = 20
  static let more = "…"
  static let longestName = 40

  private var names: [String] = []
  private var addresses: Set<String> = []
  private var folded: Set<String> = []

  /// - Parameters:
  ///   - sender: as shown, `Name <a@b>` or `a@b`.
  ///   - address: `a@b`, maybe empty.
  mutating func add(sender: String, address: String) {
    guard names.count <= Self.most else { return }
    let name = Self.short(sender, address: address)
    guard !name.isEmpty else { return }
    let isNewAddress = address.isEmpty || addresses.insert(Self.lowered(address)).inserted
    guard isNewAddress, folded.insert(name.lowercased()).inserted else { return }
    names.append(name)
  }

  /// The text with one more sender, whose message is the thread's latest.
  ///
  /// - Parameter isKnown: whether an earlier message came from that address; asked only if need be.
  static func appending(
    _ sender: String, address: String, to text: String, isKnown: () throws -> Bool
  ) rethrows -> String {
    let name = short(sender, address: address)
    guard !name.isEmpty, !text.isEmpty else { return text.isEmpty ? name : text }
    let names = text.split(separator: ", ")
    let folded = name.lowercased()
    guard names.last != more[...], !names.contains(where: { $0.lowercased() == folded }),
      try address.isEmpty || !isKnown()
    else { return text }
    return text + ", " + (names.count < most ? name : more)
  }

  /// At most `most` names, then "…".
  var text: String {
    names.count > Self.most
      ? (names.prefix(Self.most) + [Self.more]).joined(separator: ", ")
      : names.joined(separator: ", ")
  }

  /// The name without the address, "Lee, Ann" turned round, blanks for controls and other commas.
  static func short(_ sender: String, address: String) -> String {
    var bytes = ArraySlice(sender.utf8)
    if bytes.last == UInt8(ascii: ">"), let open = bytes.lastIndex(of: UInt8(ascii: "<")) {
      let name = trimmed(bytes[..<open])
      bytes = name.isEmpty ? bytes[(open + 1)...].dropLast() : name
    }
    bytes = trimmed(bytes)
    let commas = bytes.indices.filter { bytes[$0] == UInt8(ascii: ",") }
    if let comma = commas.first, commas.count == 1 {
      let (last, first) = (trimmed(bytes[..<comma]), trimmed(bytes[(comma + 1)...]))
      if !last.isEmpty, !first.isEmpty, !isSuffix(first) {
        bytes = ArraySlice(first + [0x20] + last)
      }
    }
    var result: [UInt8] = []
    for (place, byte) in zip(bytes.indices, bytes) {
      // A quoted name has `\"` for its quotes.
      let isEscape = byte == UInt8(ascii: "\\")
      if isEscape, place + 1 < bytes.endIndex, bytes[place + 1] == UInt8(ascii: "\"") { continue }
      let isBlank = byte <= 0x20 || byte == 0x7F || byte == UInt8(ascii: ",")
      if !isBlank { result.append(byte) } else if result.last != 0x20 { result.append(0x20) }
    }
    let name = String(decoding: trimmed(result[...]), as: UTF8.self)
    if name.isEmpty { return bounded(address.filter { $0 != "," && $0 > " " }) }
    return bounded(name)
  }

  private static func bounded(_ name: String) -> String {
    name.utf8.count <= longestName
      ? name : String(String.UnicodeScalarView(name.unicodeScalars.prefix(longestName)))
  }

  /// ASCII letters only, as SQLite's NOCASE compares.
  private static func lowered(_ address: String) -> String {
    String(decoding: address.utf8.map { $0 &- 65 < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  /// "Inc." in "Acme, Inc.", which is no first name.
  private static func isSuffix(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.last == UInt8(ascii: ".")
      || ["inc", "llc", "ltd", "gmbh", "jr", "sr", "phd", "md", "ag", "co", "esq"].contains(
        lowered(String(decoding: bytes, as: UTF8.self)))
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isOuter(_ byte: UInt8) -> Bool {
      byte <= 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
    }
    return bytes.drop(while: isOuter).reversed().drop(while: isOuter).reversed()[...]
  }
}
