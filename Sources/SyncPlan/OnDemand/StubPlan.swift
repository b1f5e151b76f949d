import IMAPWire
import Maildir

/// Which parts of a message stay on the server, and what is to be fetched of the rest.
///
/// Leaf parts above the limit stay there, by their encoded size. Text that a person reads comes whatever its size.
/// Messages with a signed or an encrypted part anywhere come whole, and so do those of which the server's description is
/// broken or does not fit the size of the message.
package struct StubPlan: Sendable, Hashable {
  /// The sections that stay away, in the order of the message.
  package let absent: [String]
  /// What is fetched instead of the message, in the order of the message.
  package let sections: [BodySection]

  /// What remains is put together in memory.
  private static let mostBytes: Int64 = 4 << 20
  private static let mostSections = 120

  /// Nil where the message is to come whole.
  ///
  /// - Parameters:
  ///   - size: of the whole message.
  ///   - limit: larger parts stay on the server.
  package init?(_ structure: BodyStructure, size: Int64, limit: Int64) {
    guard let root = structure.parts.first, root.isMultipart, root.section.isEmpty,
      !structure.parts.contains(where: Self.isProtected)
    else { return nil }
    var absent: [String] = []
    var sections = [BodySection(kind: .header)]
    var total: Int64 = 0
    var wanted: Int64 = 0
    for (part, parent) in Self.leavesAndMultiparts(structure) {
      sections.append(BodySection(kind: .mime, part: part.section))
      if part.isMultipart { continue }
      guard let octets = part.octets, octets >= 0, octets <= size else { return nil }
      total += octets
      if octets > limit, !Self.stays(part, parent, limit: limit) {
        absent.append(part.section)
      } else {
        wanted += octets
        sections.append(BodySection(kind: .part, part: part.section))
      }
    }
    // Headers and boundaries are the rest: with less than two thirds of the size the parts are not all told.
    guard !absent.isEmpty, total <= size, total >= size / 3 * 2, wanted <= Self.mostBytes,
      sections.count <= Self.mostSections,
      StubLine(size: UInt64(size), parts: absent) != nil
    else { return nil }
    self.absent = absent
    self.sections = sections
  }

  /// Of the message itself: a message inside it is one part.
  static func leavesAndMultiparts(_ structure: BodyStructure)
    -> [(part: BodyStructure.Part, parent: BodyStructure.Part?)]
  {
    var found: [(part: BodyStructure.Part, parent: BodyStructure.Part?)] = []
    var above: [BodyStructure.Part] = []
    var insideMessage: Int?
    for part in structure.parts {
      if let depth = insideMessage {
        if part.depth > depth { continue }
        insideMessage = nil
      }
      above.removeSubrange(min(part.depth, above.count)...)
      if part.depth > 0 { found.append((part, above.last)) }
      above.append(part)
      if part.isMessage { insideMessage = part.depth }
    }
    return found
  }

  private static func isProtected(_ part: BodyStructure.Part) -> Bool {
    switch (part.media, part.subtype) {
    case ("multipart", "signed"), ("multipart", "encrypted"), ("application", "pkcs7-mime"),
      ("application", "x-pkcs7-mime"), ("application", "pgp-encrypted"),
      ("application", "pkcs7-signature"), ("application", "x-pkcs7-signature"),
      ("application", "pgp-signature"), ("application", "pgp"):
      true
    default: false
    }
  }

  /// Whether a large part comes all the same.
  private static func stays(
    _ part: BodyStructure.Part, _ parent: BodyStructure.Part?, limit: Int64
  ) -> Bool {
    let octets = part.octets ?? 0
    switch (part.media, part.subtype) {
    case ("text", "plain"), ("text", "html"), ("text", "calendar"), ("text", "enriched"):
      return part.disposition != "attachment"
    // It may hold the text.
    case ("application", "ms-tnef"), ("application", "vnd.ms-tnef"):
      return octets / 10 <= limit
    default:
      // What a multipart/related shows, and the other parts belong to.
      guard let parent, parent.media == "multipart", parent.subtype == "related" else {
        return false
      }
      return part.section == "1" || part.section.hasSuffix(".1")
    }
  }
}
