/// One mailbox in the state of its account: the number of its row, of which servers know nothing. Rows are never deleted, so
/// that it stays the same mailbox's.
package struct MailboxKey: RawRepresentable, Hashable, Comparable, Codable, Sendable,
  CustomStringConvertible
{
  package let rawValue: Int64
  package init(rawValue: Int64) { self.rawValue = rawValue }
  package init(_ value: Int64) { rawValue = value }
  package static func < (a: MailboxKey, b: MailboxKey) -> Bool { a.rawValue < b.rawValue }
  package var description: String { String(rawValue) }
}
