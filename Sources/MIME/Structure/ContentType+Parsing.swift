extension ContentType {
  /// A Content-Type field as read.
  struct Parsed {
    /// Nil where the field names no type; its parameters count all the same.
    let name: (media: String, subtype: String)?
    let parameters: [FieldParameter]
    /// Without blanks at its end; nil where there is none.
    let boundary: Boundary?
    let isCut: Bool
  }

  /// content := type "/" subtype *(";" parameter). RFC 2045 §5.1
  static func parse(_ value: UnsafeRawBufferPointer, limits: MIMELimits) -> Parsed {
    var place = 0
    var name: (media: String, subtype: String)?
    if let media = word(value, &place), skip(value, &place, over: UInt8(ascii: "/")),
      let subtype = word(value, &place)
    {
      name = (media, subtype)
    }
    let parameters = FieldParameters(value, from: place, limit: limits.parameterSegments)
    return Parsed(
      name: name,
      parameters: parameters.all.map { FieldParameter(name: $0.name, value: $0.value) },
      boundary: boundary(parameters.first("boundary")?.bytes), isCut: parameters.isCut)
  }

  private static func boundary(_ bytes: [UInt8]?) -> Boundary? {
    guard var bytes else { return nil }
    bytes.removeAll { $0 == ASCII.cr || $0 == ASCII.lf }
    while let last = bytes.last, ASCII.isBlank(last) { bytes.removeLast() }
    return bytes.isEmpty ? nil : Boundary(text: bytes)
  }

  /// A token in lower case, with the blanks and comments around it.
  private static func word(_ value: UnsafeRawBufferPointer, _ place: inout Int) -> String? {
    skipBlanks(value, &place)
    let start = place
    while place < value.count, isToken(value[place]) { place += 1 }
    guard place > start, place - start <= 127 else { return nil }
    let word = String(unsafeUninitializedCapacity: place - start) { letters in
      for offset in 0..<(place - start) { letters[offset] = ASCII.lowered(value[start + offset]) }
      return place - start
    }
    skipBlanks(value, &place)
    return word
  }

  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "*"), UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"),
      UInt8(ascii: "&"), UInt8(ascii: "^"), UInt8(ascii: "%"), UInt8(ascii: "'"):
      true
    default: false
    }
  }

  private static func skipBlanks(_ value: UnsafeRawBufferPointer, _ place: inout Int) {
    while place < value.count {
      if ASCII.isBlank(value[place]) || value[place] == ASCII.quote {
        place += 1
      } else if value[place] == ASCII.openParenthesis, let end = value.commentEnd(from: place) {
        place = end
      } else {
        return
      }
    }
  }

  private static func skip(
    _ value: UnsafeRawBufferPointer, _ place: inout Int, over byte: UInt8
  ) -> Bool {
    guard place < value.count, value[place] == byte else { return false }
    place += 1
    return true
  }
}

extension ContentType {
  /// The boundary that a part's header names; nil where it names none.
  package static func boundary(ofHeader header: [UInt8]) -> [UInt8]? {
    header.withUnsafeBytes { bytes in
      let fields = HeaderFields(bytes, in: 0..<bytes.count)
      guard let value = fields.first(.contentType) else { return nil }
      return parse(bytes.slice(value), limits: .standard).boundary?.text
    }
  }
}
