import ArgumentParser
import CLISupport
import MIME
import MailCore
import MailIndex
import SafeHTML

/// Prints messages as one page for a browser.
package struct PagePrinter {
  let session: ReadingSession
  let reader: IndexReader

  /// What a query finds, and a printer for it.
  ///
  /// - Throws: ``ShowError`` where nothing is asked for or found.
  package static func find(
    _ query: [String], _ options: ReadingOptions
  ) throws -> (printer: PagePrinter, session: ReadingSession, ids: [Int64]) {
    try QueryWords.check(query)
    let words = QueryWords.of(query)
    guard words.contains(where: { !$0.allSatisfy(\.isWhitespace) }) else {
      throw ValidationError("Say what to show: an id, thread:ID, or a query.")
    }
    let session = try ReadingSession(options)
    let reader = try session.openIndex()
    let ids = try Selection(words, session).messageIDs(reader)
    guard !ids.isEmpty else { throw ShowError.nothingFound }
    return (PagePrinter(session: session, reader: reader), session, ids)
  }

  /// - Returns: the messages that were printed.
  func print(
    _ ids: [Int64], wholeThreads: Bool, all: Bool
  ) throws -> ([Int64], ExitStatus) {
    let (page, printed, status) = try document(ids, wholeThreads: wholeThreads, all: all)
    page.withUnsafeBytes { session.report.console.printResult($0) }
    return (printed, status)
  }

  /// The page, the messages on it, and whether some could not be read.
  package func document(
    _ ids: [Int64], wholeThreads: Bool, all: Bool
  ) throws -> (page: [UInt8], shown: [Int64], status: ExitStatus) {
    let conversations = try reader.read { db in
      try ShownConversation.arrange(ids, wholeThreads: wholeThreads, all: all, db)
    }
    var page = ConversationPage()
    page.subject = conversations.last?.subject ?? ""
    let hidden = conversations.reduce(0) { $0 + $1.hidden }
    if hidden > 0 {
      page.older = "\(Quantities.count(hidden, "older message")) left out; --all shows them."
    }
    var status = ExitStatus.done
    var shown: [Int64] = []
    for conversation in conversations {
      let unread = conversation.members.contains(where: \.isUnread)
      for member in conversation.members {
        do {
          var message = try ShownMessage.load(member, session, reader, PageMessage.init)
          message.isOpen = unread ? member.isUnread : member == conversation.members.last
          page.messages.append(message)
          shown.append(member.id)
        } catch let error as MessageFileError {
          session.report.problem(String(member.id), error)
          status = .inPart
        }
      }
    }
    return (page.document(), shown, status)
  }
}

extension PageMessage {
  /// How many recipients are named; the rest are counted.
  private static let mostNames = 20

  /// A message with its pages made safe and its images in them.
  init(_ document: MessageDocument, _ bytes: UnsafeRawBufferPointer) {
    self.init()
    let hit = document.hit
    from = document.from.isEmpty ? hit.from : AddressList.display(document.from)
    date = CivilTime(local: hit.date).fullText
    head = [("To", document.to), ("Cc", document.cc)].filter { !$1.isEmpty }
      .map { ($0, AddressList.display($1, most: Self.mostNames)) }
    snippet = hit.snippet
    warnings = document.warnings.map(\.text)
    var shown: Set<String> = []
    for block in MessagePages(bytes, MessageStructure.parse(bytes), showsImages: true).blocks {
      switch block {
      case .page(let page):
        blocks.append(.page(page))
        notes += page.notes
        shown.formUnion(page.shownImages)
      case .other(.text(let text)): blocks.append(.text(text))
      case .other(.quoted(let text, _)): blocks.append(.quoted(text))
      case .other(.signature(let text)): blocks.append(.signature(text))
      case .other(.message(_, let fields)):
        blocks.append(.message(fields.map { ($0.name, $0.value) }))
      case .other(.attachment), .other(.page): break
      }
    }
    attachments = hit.attachments.filter { !shown.contains($0.contentID ?? "") }.map { attachment in
      Attachment(
        name: (attachment.fileName ?? "").isEmpty ? "without a name" : attachment.fileName ?? "",
        type: attachment.mediaType, size: Quantities.bytes(attachment.size),
        warning: attachment.warning.map { DangerousType(name: $0)?.warning ?? $0 })
    }
  }
}
