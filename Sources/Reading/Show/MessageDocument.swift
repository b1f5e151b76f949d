import MIME
import MailIndex
import Warnings

/// One message with everything that `show` tells of it.
package struct MessageDocument: Sendable {
  /// A header field, decoded and on one line.
  package struct HeaderLine: Sendable, Equatable {
    package var name: String
    package var value: String
  }

  package var hit: SearchHit
  package var parentID: Int64?
  package var from: [MailAddress]
  package var to: [MailAddress]
  package var cc: [MailAddress]
  package var headers: [HeaderLine]
  package var readable: ReadableText
  package var warnings: [MessageWarning]
  /// What the reader's provider says of the sender.
  package var verdict: ProviderVerdict
  package var parts: [MessagePart]
  /// Decoded sizes of the parts, in their order.
  package var partSizes: [Int]

  /// - Parameters:
  ///   - bytes: of the message's file.
  ///   - people: whom the reader knows, for the warnings.
  ///   - authorities: by what names the reader's provider says who sent a message.
  ///   - pages: its HTML made safe, where the page is shown: then the text is not read.
  init(
    hit: SearchHit, parentID: Int64?, bytes: UnsafeRawBufferPointer,
    people: KnownPeople = .nobody, authorities: [String] = [], pages: MessagePages? = nil
  ) {
    self.hit = hit
    self.parentID = parentID
    let structure = MessageStructure.parse(bytes)
    let header = structure.parts.first?.header ?? 0..<0
    let fields = HeaderFields(bytes, in: header)
    let fallback = structure.headerFallback(bytes)
    func addresses(_ kind: FieldKind) -> [MailAddress] {
      fields.all(kind).flatMap {
        AddressList.parse(
          UnsafeRawBufferPointer(rebasing: bytes[$0]), limit: 1000, fallback: fallback)
      }
    }
    from = addresses(.from)
    to = addresses(.to)
    cc = addresses(.cc)
    headers = Self.lines(fields, bytes, fallback)
    let text = pages == nil ? PageRendering(bytes, structure) : nil
    readable = text?.text ?? ReadableText()
    let found = WarningFinder.look(
      at: bytes, structure, pages: text?.pages ?? pages?.pages ?? [], people: people,
      authorities: authorities)
    warnings = found.warnings
    verdict = found.facts.verdict
    parts = structure.parts
    partSizes = structure.parts.map { part in
      TransferDecoder.decodedSize(UnsafeRawBufferPointer(rebasing: bytes[part.body]), part.encoding)
    }
  }

  /// All fields in their order.
  private static func lines(
    _ fields: HeaderFields, _ bytes: UnsafeRawBufferPointer, _ fallback: Charset
  ) -> [HeaderLine] {
    fields.fields.map { field in
      HeaderLine(
        name: String(decoding: bytes[field.name], as: UTF8.self),
        value: HeaderText.decode(
          UnsafeRawBufferPointer(rebasing: bytes[field.value]), fallback: fallback))
    }
  }

  func json(root: String) -> JSONValue {
    var members = hit.members(root: root)
    members += [
      .init("parent_id", parentID.map { .integer($0) } ?? .null),
      .init("cc", .string(AddressList.display(cc))),
      .init(
        "headers",
        .array(
          headers.map { .object(["name": .string($0.name), "value": .string($0.value)]) })),
      .init("text", .string(text)), .init("text_cut", .bool(readable.isCut)),
      .init(
        "warnings",
        .array(
          warnings.map { .object(["kind": .string($0.kind.rawValue), "text": .string($0.text)]) })),
      .init(
        "links",
        .array(
          readable.links.map {
            .object([
              "label": .string($0.label), "url": .string($0.url),
              "leads_elsewhere": .bool($0.realHost != nil),
            ])
          })),
      .init("unsubscribe", Unsubscribing(headers)?.json ?? .null),
      .init("parts", .array(zip(parts, partSizes).map(Self.json))),
    ]
    return .object(members)
  }

  private static func json(_ part: MessagePart, _ size: Int) -> JSONValue {
    .object([
      "section": .string(part.section), "media_type": .string(part.type.name),
      "charset": .optional(part.type.charset), "size": .integer(Int64(size)),
      "disposition": .optional(part.disposition.map(word)), "file_name": .optional(part.fileName),
      "content_id": .optional(part.contentID), "is_attachment": .bool(part.isAttachment),
    ])
  }

  private static func word(_ disposition: Disposition) -> String {
    switch disposition {
    case .inline: "inline"
    case .attachment: "attachment"
    case .other: "other"
    }
  }

  /// All that was written and quoted, without headings.
  private var text: String {
    readable.blocks.compactMap { block in
      switch block {
      case .text(let words), .quoted(let words, _), .signature(let words): words
      case .attachment, .message, .page: nil
      }
    }.joined(separator: "\n\n")
  }
}
