import MIME
import MailCore
import MailIndex

/// Gives one attachment to the program that the desktop has for it.
struct AttachmentOpening {
  let files: OpenedFiles
  let root: String

  /// - Parameter message: has one attachment.
  /// - Returns: where it lies for that program.
  func open(_ message: SearchHit) throws -> String {
    guard let attachment = message.attachments.first else { throw OpenError.none }
    let file = try MessageBytes.load(message.paths(root: root))
    var content: [UInt8] = []
    let part = file.bytes.withUnsafeBytes { bytes in
      PartContent.append(
        section: attachment.section, of: bytes, MessageStructure.parse(bytes), into: &content)
    }
    guard let part else { throw PartError.missing(attachment.section) }
    let name = SafeFileName.make(
      from: attachment.fileName ?? "",
      fallback: AttachmentSaver.fallback(attachment.section, part.type))
    let path = try content.withUnsafeBytes { bytes in
      try OpenCheck.look(at: bytes, of: attachment, savedAs: name)
      return try files.write(bytes, as: name)
    }
    try files.show(path)
    return path
  }
}
