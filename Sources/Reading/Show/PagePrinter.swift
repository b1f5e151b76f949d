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
  /// Fetches remote images; nil where nothing is fetched.
  package var images: (any ImageFetching)?
  /// How many times the 25 messages before are shown, not the newest.
  package var older = 0

  /// What a query finds, and a printer for it.
  ///
  /// - Throws: ``ShowError`` where nothing is asked for or found.
  package static func find(
    _ query: [String], _ options: ReadingOptions, format: ResultFormat
  ) throws -> (printer: PagePrinter, session: ReadingSession, ids: [Int64]) {
    try QueryWords.check(query)
    let words = QueryWords.of(query)
    guard words.contains(where: { !$0.allSatisfy(\.isWhitespace) }) else {
      throw ValidationError("Say what to show: an id, thread:ID, or a query.")
    }
    let session = try ReadingSession(options, format: format)
    let reader = try session.openIndex()
    let ids = try Selection(words, session).messageIDs(reader)
    guard !ids.isEmpty else { throw ShowError.nothingFound }
    return (PagePrinter(session: session, reader: reader), session, ids)
  }

  /// - Returns: the messages that were printed.
  func print(
    _ ids: [Int64], wholeThreads: Bool, all: Bool
  ) throws -> ([Int64], ExitStatus) {
    try write(ids, wholeThreads: wholeThreads, all: all) { piece in
      piece.withUnsafeBytes { session.report.console.printResult($0) }
    }
  }

  /// Writes the page piece by piece, a message at a time.
  ///
  /// - Returns: the messages on it, and whether some could not be read.
  package func write(
    _ ids: [Int64], wholeThreads: Bool, all: Bool, to sink: ([UInt8]) throws -> Void
  ) throws -> (shown: [Int64], status: ExitStatus) {
    let conversations = try reader.read { db in
      try ShownConversation.arrange(ids, wholeThreads: wholeThreads, all: all, older: older, db)
    }
    guard !conversations.isEmpty else { throw ShowError.noneOlder }
    var page = ConversationPage()
    page.subject = conversations.last?.subject ?? ""
    page.older = conversations.compactMap(\.leftOut).first.map { $0 + "." }
    page.isOfOne = conversations.reduce(0) { $0 + $1.members.count } == 1
    var status = ExitStatus.done
    var shown: [Int64] = []
    try sink(page.head)
    for conversation in conversations {
      let open = conversation.open
      for member in conversation.members {
        do {
          var message = try self.message(member)
          message.isOpen = open.contains(member.id)
          try page.write(message, to: sink)
          shown.append(member.id)
        } catch let error as MessageFileError {
          session.report.problem(String(member.id), error)
          status = .inPart
        }
      }
    }
    try sink(ConversationPage.foot)
    return (shown, status)
  }
}

extension PagePrinter {
  private func message(_ member: ConversationMember) throws -> PageMessage {
    var pages: MessagePages?
    return try ShownMessage.load(
      member, session, reader,
      pages: { bytes in
        pages = MessagePages(bytes, MessageStructure.parse(bytes))
        return pages
      }, isOpened: true,
      { document, bytes in
        let shown = Self.withRemoteImages(pages, document, bytes, images)
        return PageMessage(document, shown)
      })
  }

  /// Where remote images are wanted, once more with them: the page without showed which there are.
  private static func withRemoteImages(
    _ pages: MessagePages?, _ document: MessageDocument, _ bytes: UnsafeRawBufferPointer,
    _ images: (any ImageFetching)?
  ) -> MessagePages {
    let structure = MessageStructure.parse(bytes)
    let pages = pages ?? MessagePages(bytes, structure)
    let sender = document.from.count == 1 ? document.from[0].address : nil
    guard let images, images.isWanted(from: sender, document.verdict) else { return pages }
    let wanted = pages.pages.flatMap(\.remoteImages).filter { $0.tracking == nil }.map(\.address)
    let found = wanted.isEmpty ? [:] : images.fetch(wanted, trackers: TrackerFile.list)
    guard !found.isEmpty else { return pages }
    return MessagePages(bytes, structure) { found[$0.text] }
  }
}

extension PageMessage {
  /// How many recipients are named; the rest are counted.
  private static let mostNames = 20

  /// A message with its pages made safe and its images in them.
  init(_ document: MessageDocument, _ pages: MessagePages) {
    self.init()
    let hit = document.hit
    from = document.from.isEmpty ? hit.from : AddressList.display(document.from)
    date = CivilTime(local: hit.date).fullText
    head = [("To", document.to), ("Cc", document.cc)].filter { !$1.isEmpty }
      .map { ($0, AddressList.display($1, most: Self.mostNames)) }
    snippet = hit.snippet
    warnings = document.warnings.map(\.sentence)
    unsubscribe = Unsubscribing(document.headers)?.best
    let shown = show(pages)
    attachments = hit.attachments.filter { !shown.contains($0.contentID ?? "") }.map { attachment in
      Attachment(
        name: (attachment.fileName ?? "").isEmpty ? "without a name" : attachment.fileName ?? "",
        type: attachment.mediaType, size: Quantities.bytes(attachment.size),
        warning: attachment.warning.map { DangerousType(name: $0)?.warning ?? $0 })
    }
  }

  /// Adds the blocks of a message, and what is to be said of them.
  ///
  /// - Returns: the images of the message that stand in its pages, by Content-ID.
  @discardableResult
  mutating func show(_ pages: MessagePages) -> Set<String> {
    var shown: Set<String> = []
    for block in pages.blocks {
      switch block {
      case .page(let page):
        if page.refusal == nil { blocks.append(.page(page)) }
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
    if pages.isCut {
      let most = Quantities.bytes(Int64(TextLimits.standard.text))
      notes.append("The text is longer: \(own: most) of a part are shown; show --raw prints all.")
    }
    if pages.imagesLeftOut > 0 {
      let most = Quantities.bytes(Int64(MessagePages.mostImageBytes))
      notes.append(
        """
        \(own: Quantities.count(pages.imagesLeftOut, "image")) of the message left out: \(own: most) of them stand in a \
        page at most.
        """)
    }
    return shown
  }
}
