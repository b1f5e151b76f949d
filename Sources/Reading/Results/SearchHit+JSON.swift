import MailIndex

extension SearchHit {
  /// What `search --format json` promises of a message.
  ///
  /// - Parameters:
  ///   - root: the paths are absolute; what of a name is no UTF-8 is replaced.
  ///   - tellsPlace: whether it is here is told, as servers were asked, too.
  func members(root: String, tellsPlace: Bool = false) -> [JSONValue.Member] {
    [
      .init("id", isHere ? .integer(id) : .null), .init("message_id", .optional(messageID)),
      .init("thread_id", threadID.map { .integer($0) } ?? .null),
      .init("account", .string(account)), .init("date", .date(date)), .init("from", .string(from)),
      .init("to", .string(to)), .init("subject", .string(subject)),
      .init("snippet", .string(snippet)), .init("flags", .strings(flags.words)),
      .init("keywords", .strings(keywords)), .init("folders", .strings(folders)),
      .init("paths", .strings(isHere ? files.map { root + "/" + $0.displayPath } : [])),
      .init("attachments", .array(attachments.map(\.json))),
    ] + (tellsPlace ? [.init("here", .bool(isHere))] : [])
  }

  /// Absolute, the bytes as they are: names need not be UTF-8.
  func paths(root: String) -> [FileBytes] {
    files.map { FileBytes(Array(root.utf8) + [UInt8(ascii: "/")] + $0.path) }
  }
}

extension ThreadHit {
  /// What `threads --format json` promises of a conversation.
  var json: JSONValue {
    .object([
      "id": .integer(id), "account": .string(account), "subject": .string(subject),
      "latest_date": .date(latestDate), "message_count": .integer(Int64(messageCount)),
      "unread_count": .integer(Int64(unreadCount)),
      "participants": .array(participants.map(\.json)),
      "snippet": .string(snippet), "message_ids": .array(messages.map { .optional($0.messageID) }),
    ])
  }

  /// For lists: a name with several addresses is listed once.
  var names: [String] {
    var seen = Set<String>()
    return participants.map(\.shortName).filter { seen.insert($0.lowercased()).inserted }
  }
}

extension Participant {
  var json: JSONValue { .object(["name": .string(name), "address": .string(address)]) }
}

extension FoundAttachment {
  var json: JSONValue {
    .object([
      "section": .string(section), "file_name": .optional(fileName),
      "media_type": .string(mediaType), "size": .integer(size),
      "disposition": .optional(disposition), "content_id": .optional(contentID),
      "warning": .optional(warning), "is_here": .bool(isHere),
    ])
  }
}
