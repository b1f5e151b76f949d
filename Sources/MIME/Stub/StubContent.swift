import MailCore

/// Whether a stub has nothing that the whole message has not: then it can go where that is here.
package enum StubContent {
  /// Compares all below the headers: each part, all between parts, and the texts in the places of those that are not
  /// here, word by word.
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
    guard let root = parts.first, let wholeRoot = wholes.first else { return false }
    let there = Dictionary(wholes.map { ($0.section, $0) }) { first, _ in first }
    let id = messageID(whole)
    var place = root.body.lowerBound
    var wholePlace = wholeRoot.body.lowerBound
    for part in parts.dropFirst() where part.header.lowerBound >= place {
      guard let octets = AbsentPart.octets(stub.slice(part.header)) else { continue }
      guard let other = there[part.section], other.header.lowerBound >= wholePlace else {
        return false
      }
      let isSameBefore = isEqual(
        stub.slice(place..<part.header.lowerBound),
        whole.slice(wholePlace..<other.header.lowerBound))
      let text = AbsentPart.bytes(
        header: sent(whole.slice(other.header)), octets: octets, messageID: id)
      let isOurs = text.withUnsafeBytes {
        lines($0).elementsEqual(stub.slice(part.header.lowerBound..<part.body.upperBound))
      }
      guard isSameBefore, isOurs else { return false }
      place = part.body.upperBound
      wholePlace = other.body.upperBound
    }
    return place > root.body.lowerBound
      && isEqual(stub.slice(place..<stub.count), whole.slice(wholePlace..<whole.count))
  }

  private static func messageID(_ message: UnsafeRawBufferPointer) -> String? {
    HeaderFields(message, in: 0..<message.count).first(.messageID).flatMap {
      MessageIDs.messageID(message.slice($0))
    }
  }

  private static func isEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    a.elementsEqual(b)
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
