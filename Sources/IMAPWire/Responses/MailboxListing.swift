import MailCore

/// What LIST says of a mailbox besides its name (RFC 9051 §7.3.1).
package struct MailboxAttributes: OptionSet, Sendable, Hashable {
  package let rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let noSelect = MailboxAttributes(rawValue: 1)
  package static let nonExistent = MailboxAttributes(rawValue: 2)
  package static let noInferiors = MailboxAttributes(rawValue: 4)
  package static let hasChildren = MailboxAttributes(rawValue: 8)
  package static let hasNoChildren = MailboxAttributes(rawValue: 16)
  package static let marked = MailboxAttributes(rawValue: 32)
  package static let unmarked = MailboxAttributes(rawValue: 64)
  package static let subscribed = MailboxAttributes(rawValue: 128)
  package static let remote = MailboxAttributes(rawValue: 256)

  static let names: [String: MailboxAttributes] = [
    "\\noselect": .noSelect, "\\nonexistent": .nonExistent, "\\noinferiors": .noInferiors,
    "\\haschildren": .hasChildren, "\\hasnochildren": .hasNoChildren, "\\marked": .marked,
    "\\unmarked": .unmarked, "\\subscribed": .subscribed, "\\remote": .remote,
  ]
}

/// One mailbox of LIST, with the STATUS that came along or was asked for.
package struct MailboxListing: Sendable, Equatable {
  package var name: MailboxName
  /// The name as the server spelled it. Send this back, and a name that can't be decoded still works.
  package var rawName: [UInt8]
  package var attributes: MailboxAttributes = []
  package var specialUse: [SpecialUse] = []
  package var delimiter: Character?
  /// What it was called before, where the server tells of a rename (RFC 5465 §5.4).
  package var oldName: [UInt8]?
  package var status: MailboxStatus?
  /// The refusal, where STATUS was asked for and refused.
  package var statusFailure: TaggedResult?
  /// False where LIST left it out, and STATUS knows it.
  package var isListed = true

  package init(name: MailboxName, rawName: [UInt8], delimiter: Character? = nil) {
    self.name = name
    self.rawName = rawName
    self.delimiter = delimiter
  }

  package var isSelectable: Bool { attributes.isDisjoint(with: [.noSelect, .nonExistent]) }
}
