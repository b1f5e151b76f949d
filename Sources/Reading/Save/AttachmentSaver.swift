import CLISupport
import MIME
import MailCore
import MailIndex

/// Saves the attachments of messages into one directory.
struct AttachmentSaver {
  /// What became of one attachment.
  struct Result {
    var attachment: FoundAttachment
    /// Where it was saved; nil where it was only listed, or failed.
    var path: String?
    var error: (any Explained)?
    /// The person did not want it.
    var isDeclined = false
  }

  private let directory: SaveDirectory
  private let root: String
  private let config: String?
  /// Asked before something that may do harm is written: the file's name and what it is.
  private let isAgreed: (String, String) -> Bool

  init(
    _ directory: SaveDirectory, root: String, config: String? = nil,
    isAgreed: @escaping (String, String) -> Bool = { _, _ in true }
  ) {
    self.directory = directory
    self.root = root
    self.config = config
    self.isAgreed = isAgreed
  }

  /// Each on its own: one that fails holds no other up.
  func save(_ message: SearchHit) -> [Result] {
    do {
      let file = try MessageBytes.load(message.paths(root: root))
      return file.bytes.withUnsafeBytes { bytes in
        let structure = MessageStructure.parse(bytes)
        return message.attachments.map { save($0, file, bytes, structure) }
      }
    } catch {
      return message.attachments.map { Result(attachment: $0, error: error) }
    }
  }

  private func save(
    _ attachment: FoundAttachment, _ file: MessageBytes, _ bytes: UnsafeRawBufferPointer,
    _ structure: MessageStructure
  ) -> Result {
    var content: [UInt8] = []
    let part: (fileName: String?, type: ContentType)?
    do {
      part = try PartLoading(config: config).append(
        section: attachment.section, of: file, bytes, structure, into: &content)
    } catch {
      return Result(attachment: attachment, error: error as? any Explained)
    }
    guard let part else {
      return Result(attachment: attachment, error: PartError.missing(attachment.section))
    }
    let name = SafeFileName.make(
      from: attachment.fileName ?? "", fallback: Self.fallback(attachment.section, part.type))
    if let harm = Self.harm(content, of: attachment), !isAgreed(name, harm) {
      return Result(attachment: attachment, isDeclined: true)
    }
    do {
      let path = try content.withUnsafeBytes { decoded in
        try directory.save(decoded, as: name)
      }
      return Result(attachment: attachment, path: path)
    } catch {
      return Result(attachment: attachment, error: error as? any Explained)
    }
  }

  /// What it is by name, type or content, where that may run; nil else.
  private static func harm(_ content: [UInt8], of attachment: FoundAttachment) -> String? {
    if let warning = attachment.warning.flatMap(DangerousType.init(name:)), warning != .archive {
      return warning.warning
    }
    let kind = content.withUnsafeBytes { ContentKind.of($0) }
    return kind.runs ? kind.words : nil
  }

  /// `part-2.pdf`, with an ending only where the type tells a common one.
  static func fallback(_ section: String, _ type: ContentType) -> String {
    let endings = [
      "text/plain": "txt", "text/html": "html", "text/calendar": "ics", "text/csv": "csv",
      "text/x-patch": "patch", "text/x-diff": "diff", "image/jpeg": "jpg", "image/png": "png",
      "image/gif": "gif", "image/webp": "webp", "application/pdf": "pdf", "message/rfc822": "eml",
      "application/pgp-signature": "asc", "application/pkcs7-signature": "p7s",
      "application/zip": "zip",
    ]
    let numbers = section.split(whereSeparator: { !$0.isASCII || !$0.isNumber })
    return "part-" + (numbers.isEmpty ? "1" : numbers.joined(separator: "-"))
      + (endings[type.name].map { "." + $0 } ?? "")
  }
}

extension AttachmentSaver.Result {
  func json(of message: SearchHit) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("id", .integer(message.id)), .init("message_id", .optional(message.messageID)),
      .init("account", .string(message.account)), .init("date", .date(message.date)),
      .init("from", .string(message.from)), .init("subject", .string(message.subject)),
    ]
    if case .object(let own) = attachment.json { members += own }
    if let path { members.append(.init("saved", .string(path))) }
    return .object(members)
  }

  /// `29394021  Nov 20  [2] report.pdf, application/pdf, 12 kB`, or the path that was saved.
  func line(of message: SearchHit, on page: Page) -> String {
    if let path { return path.readable + attachment.warningWords(on: page) }
    let start = "\(message.id)  \(RowDate.text(message.date, on: page))  "
    return page.paint(.dim, start) + attachment.line(on: page)
  }
}

/// A part that is not in the message.
enum PartError: Error, Equatable {
  case missing(String)
  /// It stayed on the server, and this program does not fetch.
  case onServer(String, command: String)
}

extension PartError: Explained {
  var explanation: Explanation {
    switch self {
    case .missing(let section):
      Explanation(
        problem: "The message has no part \(section).",
        remedy: "`show --format json` lists its parts.", exitStatus: .usage)
    case .onServer(let section, let command):
      Explanation(
        problem: "Part \(section) is on the server only.",
        remedy: "Get it with `\(command.visible)`.", exitStatus: .inPart)
    }
  }
}
