import GRDB
import MIME
import MailIndex
import Warnings

/// Reads a message of a conversation from its file, with what the index knows of people.
enum ShownMessage {
  /// - Parameters:
  ///   - pages: makes the message's HTML safe, where the page is shown and not the text.
  ///   - isOpened: as a page, which is a use of the message.
  ///   - body: gets what `show` tells of the message, and its bytes.
  static func load<Result>(
    _ member: ConversationMember, _ session: ReadingSession, _ reader: IndexReader,
    pages: (UnsafeRawBufferPointer) -> MessagePages? = { _ in nil }, isOpened: Bool = false,
    _ body: (MessageDocument, UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    guard let hit = try reader.read({ try HitReader($0).hits([member.id]).first }) else {
      throw MessageFileError.gone("message \(member.id)")
    }
    let file = try MessageBytes.load(hit.paths(root: session.root))
    if isOpened { PartLoading.used(file) }
    return try file.bytes.withUnsafeBytes { bytes in
      let pages = pages(bytes)
      let document = try reader.read { db in
        MessageDocument(
          hit: hit, parentID: member.parent, bytes: bytes,
          people: KnownPeople(db, before: hit.date),
          authorities: try session.providers.names(for: bytes, hit, db), pages: pages)
      }
      return try body(document, bytes)
    }
  }
}
