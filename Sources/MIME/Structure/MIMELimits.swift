/// How far a message is followed before the rest is taken as it is, with a defect recorded.
package struct MIMELimits: Sendable, Hashable {
  /// Levels of multipart and message/rfc822 inside one another.
  package var depth = 100
  package var parts = 10_000
  /// Bytes of one header block whose fields are listed.
  package var headerBytes = 2 << 20
  /// Fields of one header block.
  package var headerFields = 10_000
  /// Parameters, or RFC 2231 pieces of them, of one field.
  package var parameterSegments = 1_000

  package init() {}

  package static let standard = MIMELimits()
}
