import MailCore

/// Whether a stub has nothing that the whole message has not: then it can go where that is here.
package enum StubContent {
  /// Compares each part below the header, and of those that are not here the texts in their places, word by word. A stub
  /// lacks what is between the parts of some messages (preambles, blank lines), but has no line there of its own.
  package static func isNoMore(_ stub: UnsafeRawBufferPointer, than whole: UnsafeRawBufferPointer)
    -> Bool
  {
    lines(stub).withUnsafeBytes { stub in
      lines(whole).withUnsafeBytes { whole in isOfSame(stub, whole) }
    }
  }

  private static func isOfSame(_ stub: UnsafeRawBufferPointer, _ whole: UnsafeRawBufferPointer)
    -> Bool
  {
    let parts = MessageStructure.parse(stub).parts
    let wholes = MessageStructure.parse(whole).parts
    let there = Dictionary(wholes.map { ($0.section, $0) }) { first, _ in first }
    let id = messageID(whole)
    var lacksPart = false
    for part in parts.dropFirst() where !part.hasChildren {
      guard let other = there[part.section] else { return false }
      let here = stub.slice(part.header.lowerBound..<part.body.upperBound)
      if let octets = AbsentPart.octets(stub.slice(part.header)) {
        lacksPart = true
        let text = AbsentPart.bytes(
          header: sent(whole.slice(other.header)), octets: octets, messageID: id)
        guard text.withUnsafeBytes({ isEqual(lines($0), here) }) else { return false }
      } else {
        guard
          isEqual(Array(whole.slice(other.header.lowerBound..<other.body.upperBound)), here)
        else { return false }
      }
    }
    // Where a message lacks the last boundary of a part, its stub has it.
    let around = between(wholes, of: whole).union(boundaries(parts, in: stub))
    return lacksPart && between(parts, of: stub).isSubset(of: around)
  }

  private static func boundaries(_ parts: [MessagePart], in message: UnsafeRawBufferPointer)
    -> Set<[UInt8]>
  {
    let dashes = Array("--".utf8)
    let texts = parts.filter(\.hasChildren).compactMap {
      ContentType.boundary(ofHeader: Array(message.slice($0.header)))
    }
    return Set(texts.flatMap { [dashes + $0, dashes + $0 + dashes] })
  }

  /// The lines below the header that are no leaf's: boundaries, headers of parts with parts in them, preambles.
  private static func between(_ parts: [MessagePart], of message: UnsafeRawBufferPointer) -> Set<
    [UInt8]
  > {
    var lines: Set<[UInt8]> = []
    func add(_ range: Range<Int>) {
      for line in message.slice(range).split(separator: ASCII.lf) where !line.isEmpty {
        lines.insert(Array(line))
      }
    }
    var place = parts.first?.body.lowerBound ?? 0
    for part in parts.dropFirst() where !part.hasChildren && part.header.lowerBound >= place {
      add(place..<part.header.lowerBound)
      place = part.body.upperBound
    }
    add(place..<message.count)
    return lines
  }

  private static func isEqual(_ text: [UInt8], _ other: UnsafeRawBufferPointer) -> Bool {
    withoutEnd(text[...]).elementsEqual(withoutEnd(Array(other)[...]))
  }

  private static func withoutEnd(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var text = text
    while text.last == ASCII.lf { text.removeLast() }
    return text
  }

  private static func messageID(_ message: UnsafeRawBufferPointer) -> String? {
    HeaderFields(message, in: 0..<message.count).first(.messageID).flatMap {
      MessageIDs.messageID(message.slice($0))
    }
  }

  /// As a server sends it.
  private static func sent(_ header: UnsafeRawBufferPointer) -> [UInt8] {
    header.flatMap { $0 == ASCII.lf ? [ASCII.cr, ASCII.lf] : [$0] }
  }

  /// With LF line ends.
  private static func lines(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    for place in bytes.indices {
      let endsLine = place + 1 < bytes.count && bytes[place + 1] == ASCII.lf
      if bytes[place] == ASCII.cr, endsLine { continue }
      result.append(bytes[place])
    }
    return result
  }
}
