/// What Python's email package makes of a message, as `Tests/Fixtures/mime/python/reading.py` writes it.
///
/// nil says that Python has no answer, and nothing is compared.
struct PythonReading: Decodable {
  struct Headers: Decodable {
    var subject: String?
    var date: Int64?
    var messageID: String?
    /// Pairs of display name and address.
    var from: [[String]]?
    var to: [[String]]?
    var cc: [[String]]?
  }

  struct Part: Decodable {
    var type: String
    var parent: Int?
    var section: String?
    var text: String?
    var size: Int?
    var crc: UInt32?
    /// The outer nil: no answer; the inner one: there is none.
    var disposition: String??
    var file: String??

    private enum Key: String, CodingKey {
      case type, parent, section, text, size, crc, disposition, file
    }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: Key.self)
      type = try values.decode(String.self, forKey: .type)
      parent = try values.decodeIfPresent(Int.self, forKey: .parent)
      section = try values.decodeIfPresent(String.self, forKey: .section)
      text = try values.decodeIfPresent(String.self, forKey: .text)
      size = try values.decodeIfPresent(Int.self, forKey: .size)
      crc = try values.decodeIfPresent(UInt32.self, forKey: .crc)
      func answer(_ key: Key) throws -> String?? {
        guard values.contains(key) else { return .none }
        return .some(try values.decodeIfPresent(String.self, forKey: key))
      }
      disposition = try answer(.disposition)
      file = try answer(.file)
    }
  }

  var headers: Headers
  var parts: [Part]
}

extension PythonReading {
  /// How our reading differs, a line for each field; empty where both agree.
  func differences(_ ours: OurReading) -> [String] {
    headerDifferences(ours) + partDifferences(ours)
  }

  private func headerDifferences(_ ours: OurReading) -> [String] {
    var found: [String] = []
    func compare<Value: Equatable>(_ name: String, _ python: Value?, _ our: Value?) {
      guard let python, python != our else { return }
      found.append("\(name): Python \(python), here \(our.map { "\($0)" } ?? "nothing")")
    }
    compare("subject", headers.subject.map(blanksJoined), ours.subject.map(blanksJoined))
    compare("date", headers.date, ours.date)
    compare("message-id", headers.messageID, ours.messageID)
    for (name, python, our) in [
      ("from", headers.from, ours.from), ("to", headers.to, ours.to), ("cc", headers.cc, ours.cc),
    ] {
      compare(name, python?.map { $0.map(blanksJoined) }, our.map { $0.map(blanksJoined) })
    }
    return found
  }

  private func partDifferences(_ ours: OurReading) -> [String] {
    let shape = parts.map { "\($0.type) in \($0.parent ?? -1)" }
    let ourShape = ours.parts.map { "\($0.type) in \($0.parent ?? -1)" }
    guard shape == ourShape else { return ["structure: Python \(shape), here \(ourShape)"] }
    return zip(parts, ours.parts).enumerated().flatMap { number, pair in
      pair.0.differences(pair.1).map { "part \(number), \($0)" }
    }
  }
}

extension PythonReading.Part {
  fileprivate func differences(_ ours: OurReading.Part) -> [String] {
    var found: [String] = []
    if let section, section != ours.section {
      found.append("section: Python \(section), here \(ours.section)")
    }
    if case .some(let python) = disposition {
      let known = python.map { ["inline", "attachment"].contains($0) ? $0 : "other" }
      if known != ours.disposition {
        found.append("disposition: Python \(python ?? "none"), here \(ours.disposition ?? "none")")
      }
    }
    if case .some(let python) = file, python.map(blanksJoined) != ours.file.map(blanksJoined) {
      found.append("file: Python \(python ?? "none"), here \(ours.file ?? "none")")
    }
    if let text, text != ours.text {
      found.append("text: \(firstDifference(text, ours.text))")
    }
    if let size, let crc, size != ours.content.count || crc != checksum(ours.content) {
      found.append("content: Python \(size) bytes, here \(ours.content.count)")
    }
    return found
  }
}

/// Runs of blanks as one: folding leaves the number of them to chance.
func blanksJoined(_ text: String) -> String {
  text.unicodeScalars.split { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\n" }
    .map(String.init).joined(separator: " ")
}

/// The neighbourhood of the first place where two texts part.
private func firstDifference(_ python: String, _ ours: String) -> String {
  let (a, b) = (Array(python.unicodeScalars), Array(ours.unicodeScalars))
  let place = zip(a, b).prefix { $0 == $1 }.count
  func near(_ text: [Unicode.Scalar]) -> String {
    var shown = String.UnicodeScalarView()
    shown.append(
      contentsOf: text[max(0, min(place, text.count) - 20)..<min(text.count, place + 20)])
    return String(shown).debugDescription
  }
  return "at \(place) of \(a.count) and \(b.count): Python \(near(a)), here \(near(b))"
}

/// CRC-32 as zlib has it.
func checksum(_ bytes: [UInt8]) -> UInt32 {
  ~bytes.reduce(~0) { crc, byte in
    crcTable[Int((crc ^ UInt32(byte)) & 0xff)] ^ (crc >> 8)
  }
}

private let crcTable: [UInt32] = (0..<256).map { number in
  (0..<8).reduce(UInt32(number)) { value, _ in
    value & 1 == 1 ? 0xedb8_8320 ^ (value >> 1) : value >> 1
  }
}
