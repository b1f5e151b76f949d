/// What a person reads in an invitation (RFC 5545): the texts of its events, without the syntax around.
package enum CalendarText {
  private static let wanted: [(name: String, label: String)] = [
    ("SUMMARY", "Summary"), ("DTSTART", "Start"), ("DTEND", "End"), ("LOCATION", "Location"),
    ("ORGANIZER", "Organizer"), ("ATTENDEE", "Attendee"), ("DESCRIPTION", "Description"),
    ("COMMENT", "Comment"),
  ]

  /// Appends a line `Label: value` for each property worth reading; lines are unfolded, escapes undone.
  package static func append(_ calendar: UnsafeRawBufferPointer, into text: inout [UInt8]) {
    var index = 0
    var line: [UInt8] = []
    while index < calendar.count {
      let end = calendar[index...].lineEnd
      let content = calendar[index..<end.content]
      if let first = content.first, first == ASCII.space || first == ASCII.tab {
        if line.count < 1 << 16 { line.append(contentsOf: content.dropFirst()) }
      } else {
        appendProperty(line, into: &text)
        line.removeAll(keepingCapacity: true)
        line.append(contentsOf: content.prefix(1 << 16))
      }
      index = end.next
    }
    appendProperty(line, into: &text)
  }

  private static func appendProperty(_ line: [UInt8], into text: inout [UInt8]) {
    guard let nameEnd = line.firstIndex(where: { $0 == ASCII.colon || $0 == ASCII.semicolon }),
      let property = wanted.first(where: { isNamed($0.name, line[..<nameEnd]) }),
      let colon = valueStart(line, from: nameEnd)
    else { return }
    text.append(contentsOf: property.label.utf8)
    text.append(contentsOf: ": ".utf8)
    if let name = commonName(line[nameEnd..<colon]) {
      text.append(contentsOf: name)
      text.append(ASCII.space)
    }
    appendUnescaped(line[(colon + 1)...], into: &text)
    text.append(ASCII.lf)
  }

  private static func isNamed(_ name: String, _ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.count == name.utf8.count && zip(bytes, name.utf8).allSatisfy { $0 & 0xDF == $1 }
  }

  /// The colon before the value; those in quoted parameters do not count.
  private static func valueStart(_ line: [UInt8], from start: Int) -> Int? {
    var isQuoted = false
    for index in start..<line.count {
      if line[index] == ASCII.quote { isQuoted.toggle() }
      if line[index] == ASCII.colon, !isQuoted { return index }
    }
    return nil
  }

  /// The value of the parameter CN.
  private static func commonName(_ parameters: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    for parameter in parameters.split(separator: ASCII.semicolon)
    where parameter.prefix(3).map(ASCII.lowered).elementsEqual("cn=".utf8) {
      let value = parameter.dropFirst(3).filter { $0 != ASCII.quote }
      return value[...]
    }
    return nil
  }

  private static func appendUnescaped(_ value: ArraySlice<UInt8>, into text: inout [UInt8]) {
    var index = value.startIndex
    while index < value.endIndex {
      if value[index] == ASCII.backslash, index + 1 < value.endIndex {
        index += 1
        text.append(value[index] | 0x20 == UInt8(ascii: "n") ? ASCII.lf : value[index])
      } else {
        text.append(value[index])
      }
      index += 1
    }
  }
}
