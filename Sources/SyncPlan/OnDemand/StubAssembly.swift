import IMAPWire
import MIME
import MailCore

/// Puts a stub together from what the server sent of a message, as it would have sent it, with a text in the place of each
/// part that stays away.
///
/// Nothing the server told is believed by itself: sizes must be those announced, what comes out must have the parts that
/// were described, and with the absent ones it must be as long as the whole message, but for text around the parts.
/// Otherwise the message is to be fetched whole.
package struct StubAssembly {
  let structure: BodyStructure
  let plan: StubPlan
  /// Of the whole message.
  let size: Int64
  let pieces: [BodySection: [UInt8]]
  private var assembled: [UInt8] = []
  /// Bytes of what stands in for absent parts.
  private var added = 0
  private var left: Int64 = 0

  /// Bytes before the first boundary and after the last.
  private static let mostAround: Int64 = 16 << 10

  package init(
    structure: BodyStructure, plan: StubPlan, size: Int64, pieces: [BodySection: [UInt8]]
  ) {
    self.structure = structure
    self.plan = plan
    self.size = size
    self.pieces = pieces
  }

  /// The stub's bytes below our lines, with the server's line ends; nil where something does not fit.
  package static func assemble(
    _ structure: BodyStructure, _ plan: StubPlan, size: Int64, pieces: [BodySection: [UInt8]]
  ) -> [UInt8]? {
    var assembly = StubAssembly(structure: structure, plan: plan, size: size, pieces: pieces)
    return assembly.run()
  }

  private mutating func run() -> [UInt8]? {
    guard let header = pieces[BodySection(kind: .header)], Self.isBlock(header) else { return nil }
    let messageID = header.withUnsafeBytes { bytes in
      MIME.HeaderFields(bytes, in: 0..<bytes.count).first(.messageID).flatMap {
        MessageIDs.messageID(UnsafeRawBufferPointer(rebasing: bytes[$0]))
      }
    }
    assembled = header
    guard var place = structure.parts.indices.first,
      append(multipartAt: &place, header, messageID)
    else { return nil }
    assembled += Self.lineEnd
    // With the absent parts it is the message, but for a preamble, an epilogue and the last line end.
    let whole = Int64(assembled.count - added) + left
    guard whole <= size + 2, whole + Self.mostAround >= size, hasItsParts() else { return nil }
    return assembled
  }

  /// Whether it ends in an empty line, and holds no other.
  private static func isBlock(_ header: [UInt8]) -> Bool {
    header.withUnsafeBytes { bytes in
      let fields = MIME.HeaderFields(bytes, in: 0..<bytes.count)
      return fields.block.upperBound == bytes.count && fields.defects.isEmpty
        && (bytes.suffix(4).elementsEqual([13, 10, 13, 10])
          || bytes.suffix(2).elementsEqual([10, 10])
          || bytes.elementsEqual([13, 10]))
    }
  }

  /// - Parameter place: of the multipart; then of the part after it.
  private mutating func append(
    multipartAt place: inout Int, _ header: [UInt8], _ messageID: String?
  ) -> Bool {
    guard let boundary = ContentType.boundary(ofHeader: header) else { return false }
    let depth = structure.parts[place].depth
    place += 1
    guard place < structure.parts.count, structure.parts[place].depth == depth + 1 else {
      return false
    }
    while place < structure.parts.count, structure.parts[place].depth == depth + 1 {
      assembled += Self.dashes + boundary + Self.lineEnd
      guard append(partAt: &place, messageID) else { return false }
      assembled += Self.lineEnd
    }
    assembled += Self.dashes + boundary + Self.dashes
    return true
  }

  private mutating func append(partAt place: inout Int, _ messageID: String?) -> Bool {
    let part = structure.parts[place]
    guard let header = pieces[BodySection(kind: .mime, part: part.section)], Self.isBlock(header)
    else { return false }
    if part.isMultipart {
      assembled += header
      return append(multipartAt: &place, header, messageID)
    }
    place += 1
    while place < structure.parts.count, structure.parts[place].depth > part.depth { place += 1 }
    let octets = part.octets ?? 0
    if plan.absent.contains(part.section) {
      let text = AbsentPart.bytes(header: header, octets: octets, messageID: messageID)
      assembled += text
      added += text.count
      left += octets + Int64(header.count)
      return true
    }
    guard let body = pieces[BodySection(kind: .part, part: part.section)],
      Int64(body.count) == octets
    else { return false }
    assembled += header + body
    return true
  }

  /// Whether a reader finds the parts that the server described: no boundary of one occurs in another.
  private func hasItsParts() -> Bool {
    let expected = [""] + StubPlan.leavesAndMultiparts(structure).map(\.part.section)
    let found = assembled.withUnsafeBytes { MessageStructure.parse($0) }
    var sections: [String] = []
    var insideMessage: Int?
    for part in found.parts {
      if let depth = insideMessage {
        if part.depth > depth { continue }
        insideMessage = nil
      }
      sections.append(part.section)
      if part.type.isMessage { insideMessage = part.depth }
    }
    return sections == expected
  }

  private static let lineEnd: [UInt8] = [13, 10]
  private static let dashes = Array("--".utf8)
}
