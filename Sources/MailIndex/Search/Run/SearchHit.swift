/// One message found. What of it is JSON: `SearchHit+JSON` in `Reading`.
package struct SearchHit: Sendable, Equatable {
  package var id: Int64
  /// Without angle brackets; nil where the message has none.
  package var messageID: String?
  /// Nil where threads were not made yet.
  package var threadID: Int64?
  package var account: String
  /// Unix seconds.
  package var date: Int64
  package var from: String
  package var to: String
  package var cc: String
  package var subject: String
  package var snippet: String
  package var flags: IndexFlags
  /// Bytes.
  package var size: Int64
  package var attachmentCount: Int
  package var listID: String?
  package var keywords: [String]
  package var files: [FoundFile]
  package var attachments: [FoundAttachment]
  /// False where it is on the server only: it has no number, and no file.
  package var isHere = true

  /// Each once, in the order of files.
  package var folders: [String] {
    var seen = Set<String>()
    return files.map(\.folder).filter { seen.insert($0).inserted }
  }
}

/// One of a message's files.
package struct FoundFile: Sendable, Equatable {
  /// As people name it: `Archive/2024`.
  package var folder: String
  /// Bytes of the path below the root: names need not be UTF-8.
  package var path: [UInt8]

  package var displayPath: String { String(decoding: path, as: UTF8.self) }
}

/// One attachment, as the index knows it.
package struct FoundAttachment: Sendable, Equatable {
  /// IMAP's section number.
  package var section: String
  package var fileName: String?
  package var mediaType: String
  /// Bytes, decoded.
  package var size: Int64
  package var disposition: String?
  package var contentID: String?
  /// The class of a dangerous type.
  package var warning: String?
  /// False where it stays on the server.
  package var isHere = true
}

/// One thread found: what `threads --format json` tells of it.
package struct ThreadHit: Sendable, Equatable {
  package var id: Int64
  package var account: String
  package var subject: String
  /// Unix seconds.
  package var latestDate: Int64
  package var messageCount: Int
  package var unreadCount: Int
  /// In the order of their first message.
  package var participants: [Participant]
  package var snippet: String
  /// Oldest first.
  package var messages: [ThreadMember]
}

/// A message of a thread.
package struct ThreadMember: Sendable, Equatable {
  package var id: Int64
  /// Without angle brackets; nil where the message has none.
  package var messageID: String?
}
