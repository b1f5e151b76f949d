/// The parts of a message as BODYSTRUCTURE tells of them (RFC 9051 §7.5.2), in document order: `parts[0]` is the root, and
/// children follow their parent.
///
/// Servers get it wrong: sizes, nesting, even the number of parts. It is a hint what to ask for, no proof of anything.
package struct BodyStructure: Sendable, Equatable {
  /// One part.
  package struct Part: Sendable, Equatable {
    /// As BODY[…] names it: "" for a multipart that is the message, "1", "1.2"; below a message/rfc822 "2" its text is
    /// "2.1", or "2.TEXT" where that is a multipart.
    package var section: String
    /// Levels above it; 0 for the root.
    package var depth: Int
    /// In lower case.
    package var media: String
    package var subtype: String
    /// As the message transfers it, encoded; nil for a multipart, and where the server tells none.
    package var octets: Int64?
    /// In lower case; nil where the server tells none.
    package var disposition: String?

    package init(
      section: String, depth: Int, media: String, subtype: String, octets: Int64? = nil,
      disposition: String? = nil
    ) {
      self.section = section
      self.depth = depth
      self.media = media
      self.subtype = subtype
      self.octets = octets
      self.disposition = disposition
    }

    package var isMultipart: Bool { media == "multipart" }
    package var isMessage: Bool {
      media == "message" && (subtype == "rfc822" || subtype == "global")
    }
  }

  package var parts: [Part]

  package init(parts: [Part]) { self.parts = parts }
}
