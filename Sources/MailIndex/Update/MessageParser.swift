import MIME
import MailCore
import Maildir

/// Reads message files for the index. One to a thread: it keeps memory from file to file.
struct MessageParser: ~Copyable {
  private var buffer = MessageBuffer()
  private var scratch: [UInt8] = []
  /// Unix seconds; dates well after it are not believed.
  private let now: Int64

  /// What a file told, beside the message in it.
  struct Result: Sendable {
    var message: ParsedMessage
    /// From label headers.
    var keywords: Keywords
    var size: Int64
    /// Nanoseconds since 1970.
    var modified: Int64
  }

  init(now: Int64) { self.now = now }

  /// Nil when the file is gone.
  ///
  /// - Throws: what the file system says; `noMessage` for what is no file.
  mutating func parse(_ file: MessageFile, in folder: MaildirFolder, account: Int64)
    throws(MaildirError) -> Result?
  {
    guard let facts = try buffer.read(file, in: folder) else { return nil }
    let reading = MessageReading(
      bytes: buffer.bytes, account: account, modified: facts.modified / 1_000_000_000, now: now)
    return Result(
      message: reading.message(scratch: &scratch), keywords: reading.keywords,
      size: Int64(clamping: facts.size), modified: facts.modified)
  }
}

/// One message's bytes on their way to a row.
struct MessageReading {
  let bytes: UnsafeRawBufferPointer
  let account: Int64
  /// Of the file, Unix seconds: the date where the header tells none.
  let modified: Int64
  let now: Int64
  private let structure: MessageStructure
  private let fields: MIME.HeaderFields
  /// Of raw bytes in the header.
  private let fallback: Charset
  /// Of a file that lacks parts of its message.
  private let stub: StubLine?

  init(bytes: UnsafeRawBufferPointer, account: Int64, modified: Int64, now: Int64) {
    self.bytes = bytes
    self.account = account
    self.modified = modified
    self.now = now
    structure = MessageStructure.parse(bytes)
    stub = StubLine(atStartOf: bytes)
    fields = MIME.HeaderFields(bytes, in: structure.parts[0].header)
    fallback = structure.headerFallback(bytes)
  }

  /// Of all label headers, whoever wrote them.
  var keywords: Keywords {
    var found = Keywords.none
    for field in fields.fields {
      switch field.kind {
      case .keywords, .xKeywords, .xLabel:
        found = found.union(Keywords(headerValue: slice(field.value)))
      default: break
      }
    }
    return found
  }

  func message(scratch: inout [UInt8]) -> ParsedMessage {
    let from = addresses(.from, or: .sender)
    let to = addresses(.to)
    let cc = addresses(.cc)
    let bcc = addresses(.bcc)
    let subject = text(.subject)
    let (base, isReply) = BaseSubject.normalise(subject)
    let contentHash = ContentIdentity(bytes, structure.parts[0].body, fields).hash(&scratch)
    let key =
      fields.first(.messageID).flatMap { MessageIDs.messageID(slice($0)) }
      ?? "\(String(UInt64(bitPattern: contentHash), radix: 16))@content.invalid"
    let date = date
    let content = MessageText.extract(bytes, structure, absent: Set(stub?.parts ?? []))
    let correspondents =
      Self.correspondents(from, .from) + Self.correspondents(to, .to)
      + Self.correspondents(cc, .cc) + Self.correspondents(bcc, .bcc)
    return ParsedMessage(
      contentHash: contentHash, key: key, date: date, size: size,
      sender: from.first?.display ?? "", senderAddress: from.first?.address ?? "",
      recipients: Self.display(to), cc: Self.display(cc), subject: subject, listID: listID,
      snippet: content.snippet.isEmpty ? Self.snippet(of: subject) : content.snippet,
      attachments: attachments(content, &scratch), absentParts: stub?.parts.count ?? 0,
      isTextCut: content.isCut,
      addresses: correspondents,
      facts: facts(
        key: key, date: date, contentHash: contentHash, base: base, isReply: isReply,
        sender: from.first?.address ?? "", correspondents: correspondents),
      text: searchText(subject, from, to + bcc, cc, content))
  }

  /// Of a message without words.
  private static func snippet(of subject: String) -> String {
    let longest = TextLimits.standard.snippet
    return subject.count > longest ? subject.prefix(longest - 1) + "…" : subject
  }

  private func attachments(_ content: MessageText, _ scratch: inout [UInt8])
    -> [ParsedMessage.Attachment]
  {
    content.attachments.map { info in
      scratch.removeAll(keepingCapacity: scratch.capacity < 1 << 20)
      guard info.isHere else { return ParsedMessage.Attachment(info: info) }
      let part = PartContent.append(section: info.section, of: bytes, structure, into: &scratch)
      return ParsedMessage.Attachment(info: info, hash: part.map { _ in XXH3.hash(scratch) })
    }
  }

  private func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[range])
  }

  private func text(_ kind: MIME.FieldKind) -> String {
    fields.first(kind).map { HeaderText.decode(slice($0), fallback: fallback) } ?? ""
  }

  /// Bytes of the message, whether all of them are here or not.
  private var size: Int64 {
    stub.map { Int64(clamping: $0.size) } ?? Int64(bytes.count - ownLine)
  }

  /// Bytes of the keywords line at the top, which comes and goes with the keywords and is none of the
  /// message's.
  private var ownLine: Int {
    guard let first = fields.fields.first, first.name.lowerBound == 0,
      [.keywords, .xKeywords, .xLabel].contains(first.kind)
    else { return 0 }
    return bytes[first.value.upperBound...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
  }

  // MARK: Dates

  /// When it was written, by its header, else the file's.
  private var date: Int64 {
    MailDate.written(fields, of: bytes, now: now) ?? max(0, modified)
  }

  // MARK: People

  private static let mostAddresses = 2_000

  private func addresses(_ kind: MIME.FieldKind, or other: MIME.FieldKind? = nil) -> [MailAddress] {
    var found: [MailAddress] = []
    for value in fields.all(kind) where found.count < Self.mostAddresses {
      let room = Self.mostAddresses - found.count
      found += AddressList.parse(slice(value), limit: room, fallback: fallback)
    }
    if found.isEmpty, let other { return addresses(other) }
    return found
  }

  private static func correspondents(
    _ addresses: [MailAddress], _ role: ParsedMessage.Correspondent.Role
  ) -> [ParsedMessage.Correspondent] {
    addresses.filter { !$0.address.isEmpty && $0.address.utf8.count <= 320 }.map {
      ParsedMessage.Correspondent(role: role, address: $0.address, name: $0.name)
    }
  }

  /// Of very many only the first.
  private static func display(_ addresses: [MailAddress]) -> String {
    AddressList.display(addresses, most: 200)
  }

  /// What stands between `<` and `>` (RFC 2919), else the whole, in lower case.
  private var listID: String? {
    guard let value = fields.first(.listID) else { return nil }
    let line = slice(value)
    var inner = line[...]
    if let open = line.lastIndex(of: UInt8(ascii: "<")) {
      inner = line[(open + 1)...]
      inner = inner[..<(inner.firstIndex(of: UInt8(ascii: ">")) ?? inner.endIndex)]
    }
    let text = HeaderText.decode(UnsafeRawBufferPointer(rebasing: inner))
    let folded = Keywords.fold(String(text.prefix(255)))
    return folded.isEmpty ? nil : folded
  }

  // MARK: For others

  private func facts(
    key: String, date: Int64, contentHash: Int64, base: String, isReply: Bool, sender: String,
    correspondents: [ParsedMessage.Correspondent]
  ) -> ThreadFacts {
    let answered = fields.first(.inReplyTo).map { MessageIDs.inReplyTo(slice($0)) }
    return ThreadFacts(
      account: account, messageID: key, date: date, contentHash: contentHash,
      inReplyTo: answered?.ids ?? [], isExactlyOneID: answered?.isExactlyOneID ?? false,
      references: fields.first(.references).map { MessageIDs.references(slice($0)) } ?? [],
      threadIndex: fields.first(.threadIndex).map { bytes[$0] }, baseSubject: base,
      isReply: isReply, senderAddress: sender, addresses: correspondents.map(\.address))
  }

  private func searchText(
    _ subject: String, _ from: [MailAddress], _ to: [MailAddress], _ cc: [MailAddress],
    _ content: MessageText
  ) -> SearchText {
    var text = SearchText()
    text.reserve(content.body.count + 512)
    text.addColumn(subject)
    for addresses in [from, to, cc] {
      text.addColumn(AddressList.display(addresses))
    }
    content.body.withUnsafeBytes { text.addColumn($0) }
    text.addColumn(content.attachments.compactMap(\.fileName).joined(separator: " "))
    return text
  }
}
