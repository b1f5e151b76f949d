import Foundation
import MailIndex
import Testing

@testable import Reading

/// A small mail tree with its index, made by the real indexer.
final class SampleTree {
  let scratch: ScratchDirectory
  var root: String { scratch.path + "/Mail" }

  init() throws { scratch = try ScratchDirectory() }

  /// - Parameter name: below the root, such as `personal/INBOX/cur/1.host:2,S`; its folder is made whole.
  func deliver(_ name: String, _ message: String) throws {
    let folder = name.split(separator: "/").dropLast(2).joined(separator: "/")
    for level in ["cur", "new", "tmp"] { try scratch.makeDirectory("Mail/\(folder)/\(level)") }
    try scratch.write(message, to: "Mail/" + name)
  }

  @discardableResult
  func index() throws -> IndexReader {
    _ = try IndexUpdater(root: root).run()
    return try IndexReader.open(root: root)
  }

  func hits(_ words: String...) throws -> [SearchHit] {
    let query = try MessageQuery(words, now: 1_763_720_000)
    return try index().read { db in try HitReader(db).hits(query.search(in: db).messages()) }
  }

  func document(_ words: String...) throws -> MessageDocument {
    let query = try MessageQuery(words, now: 1_763_720_000)
    let hits = try index().read { db in try HitReader(db).hits(query.search(in: db).messages()) }
    let hit = try #require(hits.first)
    let file = try MessageBytes.load(hit.paths(root: root))
    return file.bytes.withUnsafeBytes { MessageDocument(hit: hit, parentID: nil, bytes: $0) }
  }

  /// A message of plain text, with a date that grows by the minute.
  static func message(
    id: String, subject: String = "Hello", from: String = "Alice Example <alice@example.org>",
    to: String = "Bob <bob@example.org>", minute: Int = 0, inReplyTo: String? = nil,
    body: String = "Some words.\n"
  ) -> String {
    let hour = 10 + minute / 60
    let reply = inReplyTo.map { "In-Reply-To: <\($0)>\nReferences: <\($0)>\n" } ?? ""
    let two = minute % 60 < 10 ? "0\(minute % 60)" : "\(minute % 60)"
    return "From: \(from)\nTo: \(to)\nSubject: \(subject)\nMessage-ID: <\(id)>\n"
      + "Date: Fri, 21 Nov 2025 \(hour):\(two):00 +0000\n\(reply)MIME-Version: 1.0\n"
      + "Content-Type: text/plain; charset=utf-8\n\n\(body)"
  }

  /// A message with files attached: names as they stand in the header, and texts.
  static func message(id: String, attachments: [(name: String, text: String)]) -> String {
    var message =
      "From: a@example.org\nSubject: Files\nMessage-ID: <\(id)>\n"
      + "Date: Fri, 21 Nov 2025 12:00:00 +0000\nMIME-Version: 1.0\n"
      + "Content-Type: multipart/mixed; boundary=\"b\"\n\n--b\nContent-Type: text/plain\n\nSee files.\n"
    for attachment in attachments {
      let encoded = Data(attachment.text.utf8).base64EncodedString()
      message +=
        "--b\nContent-Type: application/octet-stream\nContent-Transfer-Encoding: base64\n"
        + "Content-Disposition: attachment; filename=\"\(attachment.name)\"\n\n\(encoded)\n"
    }
    return message + "--b--\n"
  }
}
