/// Breaks header lines that are too long for the wire (RFC 5322 §2.1.1) at their blanks.
enum HeaderFolding {
  /// Bytes of a line without its end.
  static let limit = 998
  private static let comfortable = 78

  /// The field with every line within the limit; nil where a line has no blank to break it at. A field
  /// that fits comes back as it is.
  static func folded(_ field: [UInt8]) -> [UInt8]? {
    var output: [UInt8] = []
    output.reserveCapacity(field.count + 16)
    for line in field.split(separator: 0x0A, omittingEmptySubsequences: true) {
      guard line.count > limit else {
        output += line
        output.append(0x0A)
        continue
      }
      guard fold(line, into: &output) else { return nil }
    }
    return output
  }

  private static func fold(_ line: ArraySlice<UInt8>, into output: inout [UInt8]) -> Bool {
    var rest = line
    while rest.count > comfortable {
      guard let end = breakPoint(rest) else {
        guard rest.count <= limit else { return false }
        break
      }
      output += rest[..<end]
      output.append(0x0A)
      // The blank stays and begins the next line.
      rest = rest[end...]
    }
    output += rest
    output.append(0x0A)
    return true
  }

  /// A blank that something stands before and behind: the last within the comfortable length, else the
  /// first within the limit.
  private static func breakPoint(_ line: ArraySlice<UInt8>) -> Int? {
    guard var place = line.firstIndex(where: { !$0.isBlank }) else { return nil }
    // A line of a name alone, `Subject:`, is better not left by itself.
    if let colon = line[place...].prefix(100).firstIndex(of: UInt8(ascii: ":")),
      line[..<colon].allSatisfy({ $0 > 0x20 })
    {
      place = line[(colon + 1)...].firstIndex { !$0.isBlank } ?? place
    }
    var found: Int?
    for index in line[place...].indices where line[index] == 0x20 || line[index] == 0x09 {
      guard index + 1 < line.endIndex, !line[index + 1].isBlank, !line[index - 1].isBlank else {
        continue
      }
      let length = index - line.startIndex
      if length > limit { return found }
      if length > comfortable { return found ?? index }
      found = index
    }
    return found
  }
}
