import CLISupport
import GRDB
import MIME
import MailCore
import MailIndex

/// Prints messages, conversation by conversation, for people or as JSON.
struct ConversationPrinter {
  let session: ReadingSession
  let reader: IndexReader
  let unfoldsQuotes: Bool
  let onlyHeaders: Bool
  /// Whether what was read is folded to a line.
  var foldsRead = false
  var older = 0

  /// - Parameter ids: the newest first; the conversations come out oldest first, as they are read.
  /// - Returns: the messages that were printed.
  func print(_ ids: [Int64], wholeThreads: Bool, all: Bool) throws -> ([Int64], ExitStatus) {
    let conversations = try reader.read { db in
      try ShownConversation.arrange(ids, wholeThreads: wholeThreads, all: all, older: older, db)
    }
    guard !conversations.isEmpty else { throw ShowError.noneOlder }
    var writer = session.writer
    var status = ExitStatus.done
    var printed: [Int64] = []
    for (index, conversation) in conversations.enumerated() where !writer.isClosed {
      if session.format == .text {
        if index > 0 { writer.line("") }
        if !onlyHeaders { title(conversation, isAlone: ids.count == 1, &writer) }
      }
      let open = conversation.open
      var wasFolded = false
      for (place, member) in conversation.members.enumerated() where !writer.isClosed {
        if foldsRead, conversation.members.count > 1, !open.contains(member.id) {
          let hit = try reader.read { try HitReader($0).hits([member.id]).first }
          if let hit { writer.line(MessageView.folded(hit, on: session.page)) }
          wasFolded = true
          continue
        }
        defer { wasFolded = false }
        if wasFolded { writer.line("") }
        if !wasFolded, session.format == .text, place > 0 { separate(&writer) }
        do {
          try print(member, of: conversation, to: &writer)
          printed.append(member.id)
        } catch let error as MessageFileError {
          session.report.problem(String(member.id), error)
          status = .inPart
        }
      }
    }
    writer.end()
    return (printed, status)
  }

  private func print(
    _ member: ConversationMember, of conversation: ShownConversation, to writer: inout ResultWriter
  ) throws {
    let document = try ShownMessage.load(member, session, reader) { document, _ in document }
    if onlyHeaders, session.format == .text {
      for line in document.headers { writer.line("\(line.name.readable): \(line.value.readable)") }
    } else if session.format == .text {
      let view = MessageView(
        document, subject: conversation.subject, unfoldsQuotes: unfoldsQuotes)
      for line in view.lines(on: session.page) { writer.line(line) }
    } else {
      writer.item(document.json(root: session.root))
    }
  }

  private func title(_ conversation: ShownConversation, isAlone: Bool, _ writer: inout ResultWriter)
  {
    let page = session.page
    let subject = conversation.subject.isEmpty ? "(no subject)" : conversation.subject.readable
    let lines = page.columns.map { WordWrap.lines(of: subject, width: $0) } ?? [subject]
    for line in lines { writer.line(page.paint(.bold, line)) }
    if let words = conversation.leftOut {
      writer.line(page.paint(.dim, "[\(words)]"))
    }
    writer.line("")
  }

  private func separate(_ writer: inout ResultWriter) {
    let width = min(session.page.columns ?? 72, 72)
    writer.line("")
    writer.line(session.page.paint(.dim, String(repeating: "─", count: width)))
  }
}
