import IMAPWire
import MIME

/// Tells of a stub that was found whether it is as a pull writes it: by the lengths of what is here of its message, by the
/// texts in the places of what is not, and because nothing stands between the parts.
package enum StubShape {
  /// - Parameters:
  ///   - stub: with the server's line ends, without lines of ours above it.
  ///   - structure: of the message, as the server tells it now.
  package static func isWritten(_ stub: [UInt8], of structure: BodyStructure) -> Bool {
    stub.withUnsafeBytes { isWritten($0, structure) }
  }

  private static func isWritten(_ stub: UnsafeRawBufferPointer, _ structure: BodyStructure)
    -> Bool
  {
    let parts = MessageStructure.parse(stub).parts
    let told = Dictionary(
      StubPlan.leavesAndMultiparts(structure).map { ($0.part.section, $0.part) }
    ) { first, _ in first }
    var left = Set(told.keys)
    var length = 2  // The last line end.
    var insideMessage: Int?
    for part in parts {
      if let depth = insideMessage {
        if part.depth > depth { continue }
        insideMessage = nil
      }
      if part.type.isMessage { insideMessage = part.depth }
      let isMultipart = part.hasChildren && !part.type.isMessage
      if let parent = part.parent {
        guard left.remove(part.section) != nil, told[part.section]?.isMultipart == isMultipart,
          isMultipart || isWritten(part, octets: told[part.section]?.octets, stub)
        else { return false }
        length += 2 + boundary(of: parts[parent], stub) + 2 + part.header.count + 2
      }
      length += isMultipart ? 2 + boundary(of: part, stub) + 2 : part.body.count
    }
    return left.isEmpty && !parts.isEmpty && length == stub.count - parts[0].body.lowerBound
  }

  private static func isWritten(
    _ part: MessagePart, octets: Int64?, _ stub: UnsafeRawBufferPointer
  ) -> Bool {
    if Int64(part.body.count) == octets { return true }
    return octets != nil && AbsentPart.writtenOctets(of: part, in: stub) == octets
  }

  private static func boundary(of part: MessagePart, _ stub: UnsafeRawBufferPointer) -> Int {
    ContentType.boundary(ofHeader: Array(stub[part.header]))?.count ?? 0
  }
}
