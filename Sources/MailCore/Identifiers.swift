/// A message's unique identifier within one mailbox and UIDVALIDITY (RFC 9051 §2.3.1.1).
package struct UID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  package init(_ value: UInt32) { rawValue = value }
  package static func < (a: UID, b: UID) -> Bool { a.rawValue < b.rawValue }
  package var description: String { String(rawValue) }
}

/// The generation of a mailbox's UIDs (RFC 9051 §2.3.1.1). Another value makes every known UID meaningless.
package struct UIDValidity: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  package init(_ value: UInt32) { rawValue = value }
  package var description: String { String(rawValue) }
}

/// A message's position in a mailbox, from 1; it shifts with every expunge (RFC 9051 §2.3.1.2).
package struct SequenceNumber: RawRepresentable, Hashable, Comparable, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  package init(_ value: UInt32) { rawValue = value }
  package static func < (a: SequenceNumber, b: SequenceNumber) -> Bool { a.rawValue < b.rawValue }
}

/// The server's change counter (RFC 7162 §3.1). 63 bits; 0 means the server keeps none.
package struct ModSequence: RawRepresentable, Hashable, Comparable, Sendable,
  CustomStringConvertible
{
  package let rawValue: UInt64
  package init(rawValue: UInt64) { self.rawValue = rawValue }
  package init(_ value: UInt64) { rawValue = value }
  package static let none = ModSequence(0)
  package static func < (a: ModSequence, b: ModSequence) -> Bool { a.rawValue < b.rawValue }
  package var description: String { String(rawValue) }
}
