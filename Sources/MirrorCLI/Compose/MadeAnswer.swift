import Foundation
import Reading

/// What `reply` or `forward` made of a message, in JSON. Every object has every key.
struct MadeAnswer: Encodable {
  /// The message that is answered or passed on, as `search` has it.
  var id: Int64
  var messageID: String?
  /// What is printed as text; null where an editor was opened, and where its attachments are no UTF-8.
  var template: String?
  /// The template where it is no UTF-8, in Base64.
  var templateBase64: String?
  /// What the editor saved; null where nothing is queued.
  var queued: Queued?

  struct Queued: Encodable {
    var account: String
    /// As `outbox` has it.
    var id: String
  }

  /// - Parameter template: nil where an editor was opened.
  init(to message: OneMessage, template: [UInt8]? = nil, queued: Queued? = nil) {
    id = message.document.hit.id
    messageID = message.document.hit.messageID
    self.queued = queued
    guard let template else { return }
    self.template = String(validating: template, as: UTF8.self)
    if self.template == nil { templateBase64 = Data(template).base64EncodedString() }
  }

  private enum CodingKeys: String, CodingKey {
    case id, messageID, template, templateBase64, queued
  }

  func encode(to encoder: any Encoder) throws {
    var keys = encoder.container(keyedBy: CodingKeys.self)
    try keys.encode(id, forKey: .id)
    try keys.encode(messageID, forKey: .messageID)
    try keys.encode(template, forKey: .template)
    try keys.encode(templateBase64, forKey: .templateBase64)
    try keys.encode(queued, forKey: .queued)
  }
}
