import MailCore

/// The items of one FETCH response (RFC 9051 §7.5.2). What did not stand in it is nil.
///
/// Servers send more, less, and in another order than was asked: believe the UID, and only what is there.
package struct FetchData: Sendable, Equatable {
  /// 0 where the server sent 0 (Courier does).
  package var sequence: SequenceNumber
  package var uid: UID?
  /// `$Forwarded` is a flag here, `\Recent` and unknown system flags are dropped.
  package var marks: MessageMarks?
  /// Unix seconds.
  package var internalDate: Int64?
  /// RFC822.SIZE: a hint only.
  package var size: Int64?
  package var modSeq: ModSequence?
  package var emailID: String?
  package var threadID: String?
  package var gmailMessageID: UInt64?
  package var gmailThreadID: UInt64?
  /// Decoded; system labels keep their backslash (`\Inbox`).
  package var gmailLabels: [String]?
  /// Nil, too, where it could not be read.
  package var structure: BodyStructure?
  /// Items that came with a value that could not be read, of those that ``FetchItems`` has.
  package var unreadable: FetchItems = []
  /// A body section was asked for and is NIL: the message is gone or unreadable.
  package var bodyIsNil = false
  /// What followed a body could not be read: only the items before it are here. A FETCH without a body
  /// that can't be read is `.unrecognised` instead.
  package var isDamaged = false

  package init(sequence: SequenceNumber) { self.sequence = sequence }
}

/// Which part of a message a body holds (RFC 9051 §6.4.5, `BODY[section]<origin>`).
package struct BodySection: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    case whole, header, headerFields, text, mime
    /// A numbered part's content.
    case part
  }

  package var kind: Kind
  /// The part number, such as `1.2`; empty for the message itself.
  package var part = ""
  /// Where a partial fetch begins.
  package var origin: Int?
  /// How many bytes are asked for from there on; an answer does not tell.
  package var length: Int?
  /// A part is asked for with its transfer encoding undone (BINARY, RFC 3516); an answer's section does not tell.
  package var isDecoded = false

  package init(kind: Kind, part: String = "", origin: Int? = nil) {
    self.kind = kind
    self.part = part
    self.origin = origin
  }

  /// So many bytes of the whole message.
  package static func range(from origin: Int, length: Int) -> BodySection {
    var section = BodySection(kind: .whole, origin: origin)
    section.length = length
    return section
  }

  /// As a FETCH asks for it, without setting \Seen. HEADER.FIELDS, which needs names, is none of these.
  var peek: String {
    let name: String? =
      switch kind {
      case .whole, .part: nil
      case .header, .headerFields: "HEADER"
      case .text: "TEXT"
      case .mime: "MIME"
      }
    let text = [part.isEmpty ? nil : part, name].compactMap(\.self).joined(separator: ".")
    let range = origin.flatMap { origin in length.map { "<\(origin).\($0)>" } } ?? ""
    return "\(isDecoded ? "BINARY" : "BODY").PEEK[\(text)]\(range)"
  }
}
