import MIME

/// Tells of a message that came whether it is all of the one that a stub is of, where its length does not: by the parts
/// that the stub says are missing, and by its last boundary.
package struct StubCompletion {
  private let absent: [(section: String, octets: Int64)]

  /// - Parameter stub: the file's bytes.
  package init(of stub: UnsafeRawBufferPointer) {
    let structure = MessageStructure.parse(stub)
    absent = structure.parts.compactMap { part in
      guard AbsentPart.areMissing(in: stub), !part.hasChildren,
        let octets = AbsentPart(part, below: part.parent.map { structure.parts[$0] }, in: stub)?
          .octets
      else { return nil }
      return (part.section, octets)
    }
  }

  /// - Parameters:
  ///   - message: with the server's line ends.
  ///   - serverCountsWrong: what it tells of lengths proves nothing: then the last boundary is enough.
  package func fits(_ message: UnsafeRawBufferPointer, serverCountsWrong: Bool) -> Bool {
    let structure = MessageStructure.parse(message)
    let isClosed = Self.isClosed(structure, message)
    let hasParts = hasParts(structure)
    return serverCountsWrong ? isClosed || hasParts : isClosed && hasParts
  }

  /// Each part that was left out is there, of the length that was told of it.
  private func hasParts(_ structure: MessageStructure) -> Bool {
    guard !absent.isEmpty else { return false }
    let lengths = Dictionary(structure.parts.map { ($0.section, $0.body.count) }) { first, _ in
      first
    }
    return absent.allSatisfy { lengths[$0.section].map(Int64.init) == $0.octets }
  }

  /// What is behind the last part is its boundary; a part that nothing ends goes to the end.
  private static func isClosed(_ structure: MessageStructure, _ message: UnsafeRawBufferPointer)
    -> Bool
  {
    guard structure.parts[0].type.isMultipart, let last = structure.children(of: 0).last else {
      return false
    }
    return structure.parts[last].body.upperBound < message.count
  }
}
