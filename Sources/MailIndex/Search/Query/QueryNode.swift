/// A query as a tree, each node with the bytes of the query that it came from.
package struct QueryNode: Sendable, Equatable {
  package indirect enum Kind: Sendable, Equatable {
    case everything
    /// Punctuation alone, which no index holds: it asks nothing.
    case ignored
    case and([QueryNode])
    case or([QueryNode])
    case not(QueryNode)
    case text(TextTerm)
    case flags(IndexFlags, isSet: Bool)
    case hasAttachment
    /// Parts of it stay on the server.
    case lacksParts
    case keyword(NamePattern)
    /// A keyword that need not exist, beside the flag that its name stands for.
    case keywordIfAny(NamePattern)
    case folder(NamePattern)
    case account(NamePattern)
    case list(NamePattern)
    case mediaType(NamePattern)
    /// A blind recipient: a piece of name or address.
    case blindCopy(String)
    /// Bytes, both ends included.
    case size(ClosedRange<Int64>)
    /// Unix seconds, the end not included.
    case date(Range<Int64>)
    /// Our number or a Message-ID without angle brackets.
    case id(String)
    case thread(Int64)
    case threadsOf(QueryNode)
  }

  package let kind: Kind
  package let range: Range<Int>

  package init(kind: Kind, range: Range<Int>) {
    self.kind = kind
    self.range = range
  }
}

/// Columns of `message_text`, as bits in their order.
package struct TextColumns: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let subject = TextColumns(rawValue: 1)
  package static let sender = TextColumns(rawValue: 2)
  package static let recipients = TextColumns(rawValue: 4)
  package static let cc = TextColumns(rawValue: 8)
  package static let body = TextColumns(rawValue: 16)
  package static let attachment = TextColumns(rawValue: 32)
  package static let all: TextColumns = [
    .subject, .sender, .recipients, .cc, .body, .attachment,
  ]

  private static let names = ["subject", "sender", "recipients", "cc", "body", "attachment"]

  /// As FTS5 spells them.
  var names: [String] {
    Self.names.enumerated().filter { rawValue & 1 << $0.offset != 0 }.map(\.element)
  }
}

/// Words to be found side by side in one of the columns.
package struct TextTerm: Sendable, Hashable {
  package let columns: TextColumns
  /// As written; at least one letter or digit.
  package let text: String
  /// The last word may go on.
  package let isPrefix: Bool
}
