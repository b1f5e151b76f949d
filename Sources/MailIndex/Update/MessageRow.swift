import MIME

/// A row of `message`. Its thread is itself until the threads are made.
struct MessageRow {
  let id: Int64
  let account: Int64
  let flags: IndexFlags
  /// How many rows of `message_address` it has.
  let people: Int
  let parsed: ParsedMessage

  static var columns: [RowInsert<MessageRow>.Column] {
    [
      .number("id") { $0.id },
      .number("account") { $0.account },
      .number("thread") { $0.id },
      .number("content_hash") { $0.parsed.contentHash },
      .number("date") { $0.parsed.date },
      .number("flags") { $0.flags.rawValue },
      .number("size") { $0.parsed.size },
      .number("attachments") { Int64($0.parsed.attachments.count) },
      .number("absent_parts") { Int64($0.parsed.absentParts) },
      .number("addresses") { Int64($0.people) },
      .number("text_cut") { $0.parsed.isTextCut ? 1 : 0 },
      .text("message_key") { $0.parsed.key },
      .text("sender") { $0.parsed.sender },
      .text("sender_address") { SenderAddress($0.parsed).kept },
      .text("recipients") { $0.parsed.recipients },
      .text("cc") { $0.parsed.cc },
      .text("subject") { $0.parsed.subject },
      .text("list_id") { $0.parsed.listID },
      .text("snippet") { $0.parsed.snippet },
    ]
  }
}

/// A row of `attachment`.
struct AttachmentRow {
  let message: Int64
  let attachment: ParsedMessage.Attachment

  private var info: AttachmentInfo { attachment.info }

  static var columns: [RowInsert<AttachmentRow>.Column] {
    [
      .number("message") { $0.message },
      .text("section") { $0.info.section },
      .text("file_name") { $0.info.fileName },
      .text("media_type") { $0.info.mediaType },
      .number("size") { Int64($0.info.size) },
      .text("disposition") { $0.info.disposition.map(word) },
      .text("content_id") { $0.info.contentID },
      .text("warning") { $0.info.warning?.name },
      .number("is_here") { $0.info.isHere ? 1 : 0 },
      .optional("hash") { $0.attachment.hash.map { Int64(bitPattern: $0) } },
    ]
  }

  private static func word(_ disposition: Disposition) -> String {
    switch disposition {
    case .inline: "inline"
    case .attachment: "attachment"
    case .other: "other"
    }
  }
}
