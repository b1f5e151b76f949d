import GRDB
import MailIndex

/// What `show` and `attachments` are asked for: a message's id, a conversation, or a query.
struct Selection {
  private let words: [String]
  private let session: ReadingSession

  init(_ words: [String], _ session: ReadingSession) {
    self.words = words
    self.session = session
  }

  /// The id, where one is all that was said.
  var id: Int64? {
    guard words.count == 1, let word = words.first, word.utf8.count < 16 else { return nil }
    return word.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(word) : nil
  }

  /// The newest first. A number that is no message's id is looked for as a word.
  func messageIDs(_ reader: IndexReader, range: ResultRange? = nil) throws -> [Int64] {
    if let id, try reader.read({ try ConversationMember.one(id, $0) }) != nil { return [id] }
    var query = try session.query(words)
    query.limit = range?.limit(onTerminal: false)
    query.offset = range?.offset ?? 0
    let (ids, unknown) = try reader.read { db in
      let search = try query.search(in: db)
      return (try search.messages(), search.unknownNames)
    }
    session.tell(unknown)
    return ids
  }
}
