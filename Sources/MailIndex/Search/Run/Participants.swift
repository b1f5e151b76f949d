/// Somebody who wrote in a thread.
package struct Participant: Sendable, Equatable {
  /// Empty where none was written.
  package var name: String
  /// `a@b`; empty where the sender has none.
  package var address: String

  package init(name: String, address: String) {
    self.name = name
    self.address = address
  }

  /// - Parameters:
  ///   - sender: as the index has it: `Name <a@b>`, `"Lee, Ann" <a@b>` or `a@b`.
  ///   - address: `a@b`, maybe empty.
  init(sender: String, address: String) {
    self.init(name: Self.name(in: sender, address), address: address)
  }

  private static func name(in sender: String, _ address: String) -> String {
    if sender == address { return "" }
    var bytes = sender.utf8[...]
    let ending = "<\(address)>".utf8
    if !address.isEmpty, bytes.suffix(ending.count).elementsEqual(ending) {
      bytes = bytes.dropLast(ending.count)
      while bytes.last == 0x20 { bytes.removeLast() }
    }
    let quote = UInt8(ascii: "\"")
    guard bytes.count > 1, bytes.first == quote, bytes.last == quote else {
      return String(decoding: bytes, as: UTF8.self)
    }
    return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
      .replacing("\\\"", with: "\"").replacing("\\\\", with: "\\")
  }
}

/// The people of a thread in the order of their first message, whatever the order in which they come to be known.
///
/// Each address is listed once, whatever the case of its letters, with the name that is last by its bytes; the view
/// `threads` says the same in SQL.
struct Participants {
  private struct Entry {
    var person: Participant
    var date: Int64
  }

  private var entries: [String: Entry] = [:]

  mutating func add(sender: String, address: String, date: Int64) {
    if sender.isEmpty { return }
    let person = Participant(sender: sender, address: address)
    let key = Self.lowered(address.isEmpty ? sender : address)
    guard var entry = entries[key] else {
      entries[key] = Entry(person: person, date: date)
      return
    }
    entry.date = min(entry.date, date)
    if Self.precedes(entry.person.name, person.name) { entry.person.name = person.name }
    if Self.precedes(entry.person.address, address) { entry.person.address = address }
    entries[key] = entry
  }

  var list: [Participant] {
    entries.sorted {
      $0.value.date != $1.value.date
        ? $0.value.date < $1.value.date : Self.precedes($0.key, $1.key)
    }.map(\.value.person)
  }

  /// ASCII letters only, as SQLite's lower() does.
  private static func lowered(_ text: String) -> String {
    String(decoding: text.utf8.map { $0 &- 65 < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  /// Byte by byte, as SQLite compares.
  private static func precedes(_ a: String, _ b: String) -> Bool {
    a.utf8.lexicographicallyPrecedes(b.utf8)
  }
}

extension Participant {
  private static let longestName = 40

  /// For lists: the name, else the address; "Lee, Ann" turned round, blanks for controls and other commas.
  package var shortName: String {
    var bytes = Self.trimmed(ArraySlice(name.utf8))
    let commas = bytes.indices.filter { bytes[$0] == UInt8(ascii: ",") }
    if let comma = commas.first, commas.count == 1 {
      let (last, first) = (Self.trimmed(bytes[..<comma]), Self.trimmed(bytes[(comma + 1)...]))
      if !last.isEmpty, !first.isEmpty, !Self.isSuffix(first) {
        bytes = ArraySlice(first + [0x20] + last)
      }
    }
    var result: [UInt8] = []
    for byte in bytes {
      let isBlank = byte <= 0x20 || byte == 0x7F || byte == UInt8(ascii: ",")
      if !isBlank { result.append(byte) } else if result.last != 0x20 { result.append(0x20) }
    }
    let name = String(decoding: Self.trimmed(result[...]), as: UTF8.self)
    if name.isEmpty { return Self.bounded(address.filter { $0 != "," && $0 > " " }) }
    return Self.bounded(name)
  }

  private static func bounded(_ name: String) -> String {
    name.utf8.count <= longestName
      ? name : String(String.UnicodeScalarView(name.unicodeScalars.prefix(longestName)))
  }

  /// "Inc." in "Acme, Inc.", which is no first name.
  private static func isSuffix(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.last == UInt8(ascii: ".")
      || ["inc", "llc", "ltd", "gmbh", "jr", "sr", "phd", "md", "ag", "co", "esq"].contains(
        String(decoding: bytes, as: UTF8.self).lowercased())
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isOuter(_ byte: UInt8) -> Bool {
      byte <= 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
    }
    return bytes.drop(while: isOuter).reversed().drop(while: isOuter).reversed()[...]
  }
}
