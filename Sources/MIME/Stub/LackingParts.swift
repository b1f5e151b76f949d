import MailCore

/// What a file itself tells of parts that its message lacks: the line of a stub in its header, wherever programs have put
/// other lines, or texts of ours in the place of parts, even where all fields with names of ours are gone.
///
/// Parts of the message alone count, not those of one that it encloses, and no text that merely quotes such a line.
package struct LackingParts: Equatable {
  /// Bytes of the whole message, by the line of a stub.
  package let size: UInt64?
  /// Nothing but a program on this side can have put that line where it stands.
  package let isOurs: Bool
  /// A text in a part's place is as this program writes it, and names the message itself.
  package let isAnnounced: Bool
  /// Bytes of the parts that are not here, by the texts in their places; nil where there are no such texts.
  package let octets: ClosedRange<Int64>?
  /// The message's own header, without the line.
  package let header: [UInt8]

  private static let digits = 18
  private static let beginning = Array(AbsentPart.beginning.utf8)

  /// - Returns: nil where nothing is missing.
  package static func find(in bytes: UnsafeRawBufferPointer) -> LackingParts? {
    let message = bytes.slice(start(of: bytes)..<bytes.count)
    let fields = HeaderFields(message, in: 0..<message.count)
    var size: UInt64?
    var isOurs = false
    var header: [UInt8] = []
    var place = 0
    var isCarried = false
    var isGuarded = false
    for line in message.slice(fields.block).split(
      separator: ASCII.lf, omittingEmptySubsequences: false)
    {
      if size == nil, let announced = announcedSize(line) {
        size = announced
        isOurs = !isCarried && !(isGuarded && place == 1)
      } else {
        header += line
        header.append(ASCII.lf)
      }
      // Servers write these above all that a sender wrote.
      isCarried = isCarried || names(line, "received") || names(line, "resent-")
      if place == 0 { isGuarded = isGuard(line) }
      place += 1
    }
    let absent = absent(in: message, fields)
    guard size != nil || absent.octets != nil else { return nil }
    return LackingParts(
      size: size, isOurs: isOurs, isAnnounced: absent.isAnnounced, octets: absent.octets,
      header: header)
  }

  /// Empty lines, and the line that begins a message of an mbox, hide no header.
  private static func start(of bytes: UnsafeRawBufferPointer) -> Int {
    var place = 0
    while place < bytes.count {
      let end = bytes.lineEnd(from: place, to: bytes.count)
      let line = bytes.slice(place..<end)
      guard line.allSatisfy({ ASCII.isBlank($0) || $0 == ASCII.cr }) || line.starts(with: mboxLine)
      else { return place }
      place = min(end + 1, bytes.count)
    }
    return place
  }

  private static let mboxLine = Array("From ".utf8)

  private static func names(_ line: Slice<UnsafeRawBufferPointer>, _ name: String) -> Bool {
    line.count >= name.utf8.count && zip(line, name.utf8).allSatisfy { ASCII.lowered($0) == $1 }
  }

  /// Lines of ours above a whole message that begins as a stub does. A keywords line with words proves less than an empty
  /// one: a mail reader may have written it above a stub.
  private static func isGuard(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
    let isEmptyKeywords = ["x-keywords:", "x-label:", "keywords:"].contains { name in
      names(line, name)
        && line.dropFirst(name.utf8.count).allSatisfy { ASCII.isBlank($0) || $0 == ASCII.cr }
    }
    return isEmptyKeywords || line.starts(with: EnclosedStub.guardLine)
  }

  private static func announcedSize(_ line: Slice<UnsafeRawBufferPointer>) -> UInt64? {
    guard line.starts(with: EnclosedStub.line) else { return nil }
    let number = line.dropFirst(EnclosedStub.line.count).prefix { ASCII.isDigit($0) }
    return number.count > digits ? nil : UInt64(String(decoding: Array(number), as: UTF8.self))
  }

  /// - Returns: no octets where no part is missing.
  private static func absent(in message: UnsafeRawBufferPointer, _ fields: HeaderFields) -> (
    octets: ClosedRange<Int64>?, isAnnounced: Bool
  ) {
    guard isMarked(message) else { return (nil, false) }
    let structure = MessageStructure.parse(message)
    let id = fields.first(.messageID).flatMap { MessageIDs.messageID(message.slice($0)) }
    var enclosed: Set<Int> = []
    var sum: ClosedRange<Int64>?
    var isAnnounced = false
    for (place, part) in structure.parts.enumerated() {
      if let parent = part.parent,
        enclosed.contains(parent) || structure.parts[parent].type.isMessage
      {
        enclosed.insert(place)
        continue
      }
      guard part.parent != nil else { continue }
      let header = message.slice(part.header)
      let announced =
        part.hasChildren
        ? nil
        : AbsentPart.announcedOctets(
          header: header, text: message.slice(part.body), messageID: id)
      if announced != nil, AbsentPart.isNamed(messageID: id) { isAnnounced = true }
      guard let octets = AbsentPart.octets(header).map({ $0...$0 }) ?? announced else { continue }
      sum = bounded((sum?.lowerBound ?? 0, sum?.upperBound ?? 0), octets)
    }
    return (sum, isAnnounced)
  }

  /// The sum, of numbers that any sender may have written.
  private static func bounded(
    _ sum: (lower: Int64, upper: Int64), _ octets: ClosedRange<Int64>
  ) -> ClosedRange<Int64> {
    let most = Int64.max / 4
    let lower = min(most, sum.lower + min(most, max(0, octets.lowerBound)))
    return lower...max(lower, min(most, sum.upper + min(most, max(0, octets.upperBound))))
  }

  /// Most messages have no such line, and need not be taken apart.
  private static func isMarked(_ message: UnsafeRawBufferPointer) -> Bool {
    var place = 0
    while place < message.count {
      let line = message[place...]
      if line.starts(with: AbsentPart.sizeField) || line.starts(with: beginning) { return true }
      place = message.lineEnd(from: place, to: message.count) + 1
    }
    return false
  }
}
