import MIME
import MailCore
import MailIndex

/// Gives one attachment to the program that the desktop has for it; a page or a message as a page of ours, in which nothing
/// runs.
struct AttachmentOpening {
  let files: OpenedFiles
  let root: String
  var config: String?
  /// Asks whether something is to be opened all the same.
  var isAgreed: (String) -> Bool

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
    let saved = SafeFileName.make(
      from: attachment.fileName ?? "",
      fallback: AttachmentSaver.fallback(attachment.section, part.type))
    let name = content.withUnsafeBytes { OpenCheck.named(saved, $0) }
    func page(_ type: String) throws -> String {
      let part = PartAsMessage(content: content, type: type, charset: part.type.charset)
      return try files.writePage { try $0(AttachedPage.document(part, named: name, of: message)) }
    }
    let path = try content.withUnsafeBytes { bytes in
      switch try form(of: bytes, attachment, savedAs: name) {
      case .file: try files.write(bytes, as: name)
      case .page: try page("text/html")
      case .message: try page("message/rfc822")
      case .text: try page("text/plain")
      }
    }
    try files.show(path)
    return path
  }

  private func form(
    of bytes: UnsafeRawBufferPointer, _ attachment: FoundAttachment, savedAs name: String
  ) throws(OpenError) -> OpenCheck.Form {
    do {
      return try OpenCheck.look(at: bytes, of: attachment, savedAs: name)
    } catch {
      guard let question = error.question, isAgreed(question) else { throw error }
      return .file
    }
  }
}
