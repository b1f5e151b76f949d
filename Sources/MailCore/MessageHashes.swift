// XXH3-64 of what identifies a message. Three types, so that none is passed for another: a set of contents holds no headers.

/// Of a message's header in its canonical form, which survives servers, readers and tools.
package struct HeaderHash: RawRepresentable, Hashable, Comparable, Codable, Sendable,
  CustomStringConvertible
{
  package let rawValue: UInt64
  package init(rawValue: UInt64) { self.rawValue = rawValue }
  package init(_ value: UInt64) { rawValue = value }
  /// As tables keep it where the header was never read. One that hashes to 0 by chance is only not recognised by it.
  package static var unknown: HeaderHash { HeaderHash(0) }
  package static func < (a: HeaderHash, b: HeaderHash) -> Bool { a.rawValue < b.rawValue }
  package var description: String { String(rawValue) }
}

/// Of the canonical header and the body with LF line ends; of a stub, of what of it is here.
package struct ContentHash: RawRepresentable, Hashable, Comparable, Codable, Sendable,
  CustomStringConvertible
{
  package let rawValue: UInt64
  package init(rawValue: UInt64) { self.rawValue = rawValue }
  package init(_ value: UInt64) { rawValue = value }
  /// As tables keep it where the content was never read. One that hashes to 0 by chance is only not recognised by it.
  package static var unknown: ContentHash { ContentHash(0) }
  package static func < (a: ContentHash, b: ContentHash) -> Bool { a.rawValue < b.rawValue }
  /// Whether nothing tells the two contents apart: they are one, or one of them was never read.
  package func mayBe(_ other: ContentHash) -> Bool {
    self == other || self == .unknown || other == .unknown
  }
  package var description: String { String(rawValue) }
}

/// Of a file's base name: its name up to the flags.
package struct NameHash: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
  package let rawValue: UInt64
  package init(rawValue: UInt64) { self.rawValue = rawValue }
  package init(_ value: UInt64) { rawValue = value }
  package static func < (a: NameHash, b: NameHash) -> Bool { a.rawValue < b.rawValue }
  package var description: String { String(rawValue) }
}
