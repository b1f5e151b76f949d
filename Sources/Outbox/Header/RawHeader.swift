#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A message's header as lines of bytes: read once, changed field by field, written back. What is not
/// changed stays as it came, byte for byte.
struct RawHeader: Sendable {
  struct Field: Sendable, Equatable {
    /// As spelled.
    var name: String
    /// Everything with its line feed at the end: `Name: value\n more\n`.
    var bytes: [UInt8]

    init(name: String, bytes: [UInt8]) {
      self.name = name
      self.bytes = bytes
    }

    /// - Parameter value: one line or more, folded already; without a line feed at the end.
    init(_ name: String, _ value: String) {
      self.init(name: name, bytes: Array("\(name): \(value)\n".utf8))
    }

    /// Behind the colon, folded as written, blanks at both ends left out.
    var value: ArraySlice<UInt8> {
      guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return [] }
      var value = bytes[(colon + 1)...]
      while let last = value.last, last.isBlank { value.removeLast() }
      while let first = value.first, first.isBlank { value.removeFirst() }
      return value
    }

    func isNamed(_ name: String) -> Bool {
      self.name.utf8.count == name.utf8.count && lowered(self.name) == lowered(name)
    }

    var hasEightBit: Bool { bytes.contains { $0 > 0x7F } }
  }

  private(set) var fields: [Field] = []

  /// Reads the header at the start of a message with LF line ends. It ends with a blank line, or before
  /// the first line that can be no part of one; a `From ` line of an mbox before it is left out.
  ///
  /// - Returns: the header, and where the body starts.
  static func parse(_ bytes: UnsafeRawBufferPointer) -> (RawHeader, bodyStart: Int) {
    var header = RawHeader()
    var place = 0
    if bytes.starts(with: "From ".utf8) || bytes.starts(with: ">From ".utf8) {
      place = min(bytes.count, bytes.lineFeed(from: 0) + 1)
    }
    while place < bytes.count {
      let end = bytes.lineFeed(from: place)
      if end == place { return (header, end + 1) }
      let line = bytes[place..<end]
      if line[line.startIndex].isBlank {
        guard !header.fields.isEmpty else { return (header, place) }
        // A line of blanks alone reads as the end of the header to some, so it goes.
        if !line.allSatisfy(\.isBlank) {
          header.fields[header.fields.count - 1].bytes += Array(line) + [0x0A]
        }
      } else {
        guard let name = fieldName(line) else { return (header, place) }
        header.fields.append(Field(name: name, bytes: Array(line) + [0x0A]))
      }
      place = min(bytes.count, end + 1)
    }
    return (header, place)
  }

  // field-name = 1*ftext, RFC 5322 §3.6.8; blanks before the colon are of §4.5.
  private static func fieldName(_ line: Slice<UnsafeRawBufferPointer>) -> String? {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    var name = line[..<colon]
    while let last = name.last, last.isBlank { name.removeLast() }
    guard !name.isEmpty, name.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    return String(decoding: name, as: UTF8.self)
  }

  // MARK: Looking

  func first(_ name: String) -> Field? { fields.first { $0.isNamed(name) } }
  func has(_ name: String) -> Bool { first(name) != nil }
  func all(_ name: String) -> [Field] { fields.filter { $0.isNamed(name) } }

  /// With the blank line at its end.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for field in fields { bytes += field.bytes }
    bytes.append(0x0A)
    return bytes
  }

  // MARK: Changing

  mutating func append(_ field: Field) { fields.append(field) }

  /// In place of the first of that name, or at the end; others of the name go.
  mutating func set(_ field: Field) {
    guard let index = fields.firstIndex(where: { $0.isNamed(field.name) }) else {
      fields.append(field)
      return
    }
    fields[index] = field
    var seen = false
    fields.removeAll { other in
      guard other.isNamed(field.name) else { return false }
      defer { seen = true }
      return seen
    }
  }

  mutating func remove(_ names: [String]) {
    fields.removeAll { field in names.contains { field.isNamed($0) } }
  }

  mutating func change<E: Error>(_ body: (inout Field) throws(E) -> Void) throws(E) {
    for index in fields.indices { try body(&fields[index]) }
  }
}

private func lowered(_ text: String) -> [UInt8] {
  text.utf8.map { $0 >= 65 && $0 <= 90 ? $0 | 0x20 : $0 }
}

extension UInt8 {
  /// Blank, tab, and the line breaks of a fold.
  var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}

extension UnsafeRawBufferPointer {
  /// Where the line that holds `start` ends: its line feed, or the end of the bytes.
  func lineFeed(from start: Int) -> Int {
    guard start < count, let base = baseAddress,
      let found = memchr(base + start, 0x0A, count - start)
    else { return count }
    return UnsafeRawPointer(found) - base
  }
}
