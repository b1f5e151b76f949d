/// The tags of `notmuch dump`, by Message-ID without its brackets: the formats batch-tag and sup.
package struct NotmuchDump: Sendable {
  package private(set) var tags: [String: [String]] = [:]

  /// - Parameter name: what the bytes came from, for errors.
  package init(_ bytes: [UInt8], name: String) throws(MovingError) {
    if bytes.starts(with: [0x1F, 0x8B]) { throw .compressedDump(name) }
    var isAlien = false
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      // `#@` and `#=` lines hold notmuch's configuration and properties.
      if line.first == UInt8(ascii: "#") { continue }
      guard let (id, own) = Self.batch(line) ?? Self.sup(line) else {
        isAlien = true
        break
      }
      if !id.isEmpty, !own.isEmpty { tags[id, default: []] += own }
    }
    if isAlien { throw .noDump(name) }
  }

  /// `+tag +tag -- id:message-id`, tags with `%` and two hex digits for what is no plain character, the id quoted
  /// where it has blanks or brackets.
  private static func batch(_ line: ArraySlice<UInt8>) -> (String, [String])? {
    var rest = line
    var tags: [String] = []
    while true {
      while rest.first == UInt8(ascii: " ") { rest.removeFirst() }
      let word = rest.prefix { $0 != UInt8(ascii: " ") }
      rest = rest.dropFirst(word.count)
      if word.elementsEqual("--".utf8) { break }
      guard let sign = word.first else { return nil }
      if sign == UInt8(ascii: "+") {
        if word.count > 1 { tags.append(decoded(word.dropFirst())) }
      } else if sign != UInt8(ascii: "-") {
        return nil
      }
    }
    while rest.first == UInt8(ascii: " ") { rest.removeFirst() }
    guard rest.starts(with: "id:".utf8) else { return nil }
    return (unquoted(rest.dropFirst(3)), tags)
  }

  /// `message-id (tag tag)`
  private static func sup(_ line: ArraySlice<UInt8>) -> (String, [String])? {
    guard line.last == UInt8(ascii: ")"),
      let open = line.lastIndex(of: UInt8(ascii: "(")), open > line.startIndex + 1,
      line[open - 1] == UInt8(ascii: " ")
    else { return nil }
    let tags = line[(open + 1)...].dropLast().split(separator: UInt8(ascii: " "))
    return (
      String(decoding: line[..<(open - 1)], as: UTF8.self),
      tags.map { String(decoding: $0, as: UTF8.self) }
    )
  }

  private static func unquoted(_ text: ArraySlice<UInt8>) -> String {
    let quote = UInt8(ascii: "\"")
    guard text.first == quote else {
      return String(decoding: text.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
    }
    var result: [UInt8] = []
    var rest = text.dropFirst()
    while let byte = rest.popFirst() {
      if byte == quote {
        guard rest.first == quote else { break }
        rest.removeFirst()
      }
      result.append(byte)
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func decoded(_ word: ArraySlice<UInt8>) -> String {
    var result: [UInt8] = []
    var rest = word
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte == UInt8(ascii: "%"), digits.count == 2,
        let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        result.append(code)
        rest = rest.dropFirst(2)
      } else {
        result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The id that notmuch knows a message by: what stands in the brackets, blanks left out.
  ///
  /// - Parameter value: of the Message-ID field.
  package static func id(_ value: [UInt8]) -> String {
    var text = value[...]
    if let open = text.firstIndex(of: UInt8(ascii: "<")) {
      text = text[(open + 1)...].prefix { $0 != UInt8(ascii: ">") }
    }
    return String(
      decoding: text.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }, as: UTF8.self)
  }
}
