/// Why an answer is not believed.
package enum DNSMistake: Error, Equatable, Sendable {
  case truncated, badName, loop, notAnAnswer
}

/// The records of one DNS answer that mail set-up asks for (RFC 1035 §4, RFC 2782). Bounded: hostile bytes end in an
/// error or in fewer records, never in a long walk.
package struct DNSMessage: Sendable, Equatable {
  package enum Kind: Int, Sendable {
    case a = 1
    case mx = 15
    case txt = 16
    case aaaa = 28
    case srv = 33
  }

  package struct Service: Sendable, Equatable {
    package var priority: UInt16
    package var weight: UInt16
    package var port: UInt16
    /// Without the dot at its end; empty where the record says that there is no such service.
    package var target: String
  }

  package struct Exchange: Sendable, Equatable {
    package var preference: UInt16
    package var host: String
  }

  package private(set) var services: [Service] = []
  package private(set) var exchanges: [Exchange] = []

  /// The hosts of the lowest preference (RFC 5321 §5.1): the others only jump in.
  package var preferredExchanges: [String] {
    let lowest = exchanges.map(\.preference).min()
    return exchanges.filter { $0.preference == lowest }.map(\.host)
  }
  /// `127.0.0.1`
  package private(set) var addresses: [String] = []

  /// Each record's strings joined (RFC 7208 §3.3 and others).
  package private(set) var texts: [String] = []

  private static let recordLimit = 200
  private static let jumpLimit = 32

  package init(_ bytes: [UInt8]) throws(DNSMistake) {
    var reader = Reader(bytes: bytes)
    _ = try reader.word()
    let flags = try reader.word()
    guard flags & 0x8000 != 0, flags & 0x000F == 0 else { throw .notAnAnswer }
    let questions = try reader.word()
    let answers = try reader.word()
    reader.index += 4  // the counts of the other two sections
    for _ in 0..<questions {
      _ = try reader.name()
      reader.index += 4
      guard reader.index <= bytes.count else { throw .truncated }
    }
    for _ in 0..<min(Int(answers), Self.recordLimit) { try take(&reader) }
  }

  /// What one record says; a kind that nobody asked for is passed over.
  private mutating func take(_ reader: inout Reader) throws(DNSMistake) {
    _ = try reader.name()
    let kind = try reader.word()
    let family = try reader.word()
    reader.index += 4  // how long it holds
    let length = Int(try reader.word())
    let end = reader.index + length
    guard end <= reader.bytes.count else { throw .truncated }
    defer { reader.index = end }
    guard family == 1 else { return }
    switch Kind(rawValue: Int(kind)) {
    case .srv:
      let priority = try reader.word()
      let weight = try reader.word()
      let port = try reader.word()
      let target = try reader.name()
      guard reader.index <= end else { throw .truncated }
      services.append(
        Service(priority: priority, weight: weight, port: port, target: target))
    case .mx:
      let preference = try reader.word()
      let host = try reader.name()
      guard reader.index <= end else { throw .truncated }
      exchanges.append(Exchange(preference: preference, host: host))
    case .txt: texts.append(Self.text(reader.bytes[reader.index..<end]))
    case .a where length == 4:
      addresses.append(
        reader.bytes[reader.index..<end].map { String($0) }.joined(separator: "."))
    case .aaaa where length == 16:
      let groups = stride(from: reader.index, to: end, by: 2).map {
        String(UInt16(reader.bytes[$0]) << 8 | UInt16(reader.bytes[$0 + 1]), radix: 16)
      }
      addresses.append(groups.joined(separator: ":"))
    case .a, .aaaa, nil: break
    }
  }

  /// Strings of a length byte each (RFC 1035 §3.3.14); what is cut off is left out.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    var text: [UInt8] = []
    var rest = bytes
    while let length = rest.popFirst(), rest.count >= Int(length) {
      text += rest.prefix(Int(length))
      rest = rest.dropFirst(Int(length))
    }
    return String(decoding: text, as: UTF8.self)
  }

  private struct Reader {
    let bytes: [UInt8]
    var index = 0

    mutating func word() throws(DNSMistake) -> UInt16 {
      guard index >= 0, index + 2 <= bytes.count else { throw .truncated }
      defer { index += 2 }
      return UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
    }

    /// A name with its pointers followed (RFC 1035 §4.1.4). Only host names are let through: what comes out is shown,
    /// connected to and written into a configuration.
    mutating func name() throws(DNSMistake) -> String {
      var labels: [String] = []
      var place = index
      var jumps = 0
      var total = 0
      while true {
        guard place < bytes.count else { throw .truncated }
        let length = Int(bytes[place])
        if length & 0xC0 == 0xC0 {
          guard place + 1 < bytes.count else { throw .truncated }
          if jumps == 0 { index = place + 2 }
          jumps += 1
          // A pointer leads back, so a chain of them ends; one that leads ahead is a trap.
          let target = (length & 0x3F) << 8 | Int(bytes[place + 1])
          guard jumps <= DNSMessage.jumpLimit, target < place else { throw .loop }
          place = target
          continue
        }
        guard length < 64 else { throw .badName }
        if length == 0 {
          if jumps == 0 { index = place + 1 }
          return labels.joined(separator: ".")
        }
        guard place + 1 + length <= bytes.count else { throw .truncated }
        total += length + 1
        guard total <= 255 else { throw .badName }
        labels.append(try Self.label(bytes[(place + 1)..<(place + 1 + length)]))
        place += 1 + length
      }
    }

    private static func label(_ bytes: ArraySlice<UInt8>) throws(DNSMistake) -> String {
      let isHostName = bytes.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
      guard isHostName else { throw .badName }
      return String(decoding: bytes, as: UTF8.self).lowercased()
    }
  }
}
