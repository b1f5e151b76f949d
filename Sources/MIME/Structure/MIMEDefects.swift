/// What is wrong with a message's structure. The message is read all the same.
package struct MIMEDefects: OptionSet, Sendable, Hashable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// A multipart names no boundary; where its parts show one, that was taken.
  package static let missingBoundary = MIMEDefects(rawValue: 1 << 0)
  /// The boundary that a multipart names never comes: it is read as one text.
  package static let boundaryNotFound = MIMEDefects(rawValue: 1 << 1)
  /// A multipart ends without its closing boundary line.
  package static let noFinalBoundary = MIMEDefects(rawValue: 1 << 2)
  package static let tooDeep = MIMEDefects(rawValue: 1 << 3)
  package static let tooManyParts = MIMEDefects(rawValue: 1 << 4)
  /// Of a header block beyond the limit only the first fields are known.
  package static let headerTooLong = MIMEDefects(rawValue: 1 << 5)
  /// A header block that runs into the body, or into a boundary, without a blank line.
  package static let missingBlankLine = MIMEDefects(rawValue: 1 << 6)
  /// Lines in a header block that belong to no field.
  package static let junkInHeader = MIMEDefects(rawValue: 1 << 7)
  /// A Content-Type that names no type; the default was taken.
  package static let badContentType = MIMEDefects(rawValue: 1 << 8)
  /// A Content-Transfer-Encoding that nobody knows, or one that a multipart must not have.
  package static let badEncoding = MIMEDefects(rawValue: 1 << 9)
  /// A message/rfc822 in base64 or quoted-printable, which RFC 2046 §5.2.1 forbids: kept as a leaf.
  package static let encodedMessage = MIMEDefects(rawValue: 1 << 10)
  /// More parameters than the limit in one field.
  package static let tooManyParameters = MIMEDefects(rawValue: 1 << 11)
}
