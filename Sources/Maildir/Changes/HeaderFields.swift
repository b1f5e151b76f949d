/// Single fields of a raw header, for matching messages. No parser of mail: addresses and words are
/// another module's.
package enum HeaderFields {
  /// The first field of that name, unfolded and trimmed; nil when there is none. Line ends may be
  /// LF or CRLF.
  package static func value(_ name: String, in header: [UInt8]) -> [UInt8]? {
    values(name, in: header).first
  }

  /// All fields of that name, in order.
  package static func values(_ name: String, in header: [UInt8]) -> [[UInt8]] {
    let wanted = name.utf8.map(ASCII.lowered)
    var values: [[UInt8]] = []
    var current: [UInt8]?
    for line in header.split(separator: ASCII.lf, omittingEmptySubsequences: false) {
      let line = line.last == ASCII.cr ? line.dropLast() : line
      if line.isEmpty { break }
      if let first = line.first, first == ASCII.space || first == ASCII.tab {
        current?.append(contentsOf: line)
        continue
      }
      if let ended = current { values.append(trimmed(ended)) }
      current = body(of: line, if: wanted)
    }
    if let ended = current { values.append(trimmed(ended)) }
    return values
  }

  /// Behind the empty line that ends the header, or nil when it is not in sight.
  static func end(of bytes: ArraySlice<UInt8>) -> Int? {
    var lineIsEmpty = true
    for (place, byte) in zip(bytes.indices, bytes) {
      if byte == ASCII.lf {
        if lineIsEmpty { return place + 1 }
        lineIsEmpty = true
      } else if byte != ASCII.cr {
        lineIsEmpty = false
      }
    }
    return nil
  }

  private static func body(of line: ArraySlice<UInt8>, if wanted: [UInt8]) -> [UInt8]? {
    guard line.count > wanted.count,
      line.prefix(wanted.count).elementsEqual(wanted, by: { ASCII.lowered($0) == $1 })
    else { return nil }
    let rest = line.dropFirst(wanted.count).drop { $0 == ASCII.space || $0 == ASCII.tab }
    return rest.first == UInt8(ascii: ":") ? Array(rest.dropFirst()) : nil
  }

  private static func trimmed(_ value: [UInt8]) -> [UInt8] {
    var rest = value[...]
    while let byte = rest.first, ASCII.isBlank(byte) { rest.removeFirst() }
    while let byte = rest.last, ASCII.isBlank(byte) { rest.removeLast() }
    return Array(rest)
  }
}
