import MailCore

/// What SELECT or EXAMINE told, folded up from its responses (RFC 9051 §6.3.2).
package struct SelectedMailbox: Sendable, Equatable {
  package var exists: Int?
  package var recent: Int?
  package var uidValidity: UIDValidity?
  package var uidNext: UID?
  /// nil where the mailbox keeps none.
  package var highestModSeq: ModSequence?
  /// nil where the server did not say: then all flags are permanent.
  package var permanentFlags: [String]?
  package var flags: [String] = []
  package var isReadOnly = false
  package var hasNoStickyUIDs = false
  package var mailboxID: String?

  package init() {}

  package var acceptsNewKeywords: Bool { permanentFlags?.contains("\\*") ?? false }

  package mutating func absorb(_ response: UntaggedResponse) {
    switch response {
    case .exists(let count): exists = count
    case .recent(let count): recent = count
    case .flags(let names): flags = names
    case .status(_, let text): if let code = text.code { absorb(code) }
    case .capability, .enabled, .expunge, .vanished, .list, .mailboxStatus, .search, .namespace,
      .id, .myRights, .unrecognised:
      break
    }
  }

  /// The completion carries READ-ONLY or READ-WRITE; some servers put other codes there too.
  package mutating func absorb(_ result: TaggedResult) {
    if let code = result.code { absorb(code) }
  }

  private mutating func absorb(_ code: ResponseCode) {
    switch code {
    case .uidValidity(let value): uidValidity = value
    case .uidNext(let value): uidNext = value
    case .highestModSeq(let value): highestModSeq = value == .none ? nil : value
    case .noModSeq: highestModSeq = nil
    case .permanentFlags(let names): permanentFlags = names
    case .readOnly: isReadOnly = true
    case .readWrite: isReadOnly = false
    case .uidNotSticky: hasNoStickyUIDs = true
    case .mailboxID(let id): mailboxID = id
    default: break  // the other codes say nothing of a mailbox
    }
  }
}
