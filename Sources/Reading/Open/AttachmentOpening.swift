import MIME
import MailCore
import MailIndex

/// Gives one attachment to the program that the desktop has for it; a page as a page of ours, in which nothing runs.
struct AttachmentOpening {
  let files: OpenedFiles
  let root: String
  var config: String?

  /// - Parameter message: has one attachment.
  /// - Returns: where it lies for that program.
  func open(_ message: SearchHit) throws -> String {
    guard let attachment = message.attachments.first else { throw OpenError.none }
    let file = try MessageBytes.load(message.paths(root: root))
    var content: [UInt8] = []
    let part = try file.bytes.withUnsafeBytes { bytes in
      try PartLoading(config: config).append(
        section: attachment.section, of: file, bytes, MessageStructure.parse(bytes),
        into: &content)
    }
    guard let part else { throw PartError.missing(attachment.section) }
    let name = SafeFileName.make(
      from: attachment.fileName ?? "",
      fallback: AttachmentSaver.fallback(attachment.section, part.type))
    let path = try content.withUnsafeBytes { bytes in
      switch try OpenCheck.look(at: bytes, of: attachment, savedAs: name) {
      case .file: try files.write(bytes, as: name)
      case .page:
        try files.write(
          page: AttachedPage.document(
            PartAsMessage(content: content, type: "text/html", charset: part.type.charset),
            named: name, of: message))
      }
    }
    try files.show(path)
    return path
  }
}
