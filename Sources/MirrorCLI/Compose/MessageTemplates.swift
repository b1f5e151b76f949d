import MIME
import MailCore
import Reading

/// Templates of answers and of messages that are passed on.
struct MessageTemplates {
  let message: OneMessage
  let answered: AnsweredMessage
  /// Who writes.
  let sender: MailAddress?
  let own: Set<String>

  var answering: Answering { Answering(message: answered, own: own) }

  // MARK: Answers

  func reply(toAll: Bool) -> Template {
    var template = Template()
    let (to, cc) = answering.recipients(toAll: toAll)
    if let sender { template.field("From", [sender]) }
    if to.isEmpty { template.line("To:") } else { template.field("To", to) }
    template.field("Cc", cc)
    template.field("Subject", AnswerSubject.reply(to: answered.subject))
    if let id = answered.messageID { template.field("In-Reply-To", ids: [id]) }
    template.field("References", ids: answered.answerReferences)
    template.textFields()
    template.line("")
    let who = answered.from.first.map { $0.name.isEmpty ? $0.address : $0.name } ?? "somebody"
    template.line("On \(day), \(who.cleaned) wrote:")
    for line in message.quotableLines { template.line(Self.quoted(line)) }
    return template
  }

  private static func quoted(_ line: String) -> String {
    line.isEmpty || line.hasPrefix(">") ? ">" + line : "> " + line
  }

  private var day: String { CivilTime(local: message.document.hit.date).fullText }

  // MARK: Passing on

  /// - Parameter whole: the message goes as it is, an attachment with all of its header.
  func forward(whole: Bool) -> Template {
    var template = Template()
    if let sender { template.field("From", [sender]) }
    template.line("To:")
    template.field("Subject", AnswerSubject.forward(of: answered.subject))
    template.field("References", ids: answered.answerReferences)
    let parts = whole ? [wholeMessage] : message.bytes.withUnsafeBytes(attachments)
    guard !parts.isEmpty else {
      template.textFields()
      template.line("")
      addText(to: &template)
      return template
    }
    let boundary = Self.boundary(notIn: parts)
    template.line("MIME-Version: 1.0")
    template.line("Content-Type: multipart/mixed; boundary=\"\(boundary)\"")
    template.line("")
    template.line("--" + boundary)
    template.line("Content-Type: text/plain; charset=utf-8")
    template.line("")
    if !whole { addText(to: &template) }
    for part in parts {
      template.line("")
      template.line("--" + boundary)
      template.raw(part)
    }
    template.line("")
    template.line("--" + boundary + "--")
    return template
  }

  private func addText(to template: inout Template) {
    template.line("")
    template.line("---------- Forwarded message ----------")
    if !answered.from.isEmpty { template.field("From", answered.from) }
    template.field("Date", day)
    template.field("Subject", answered.subject)
    template.field("To", answered.to)
    template.field("Cc", answered.cc)
    template.line("")
    for line in message.quotableLines { template.line(line) }
  }

  private var wholeMessage: [UInt8] {
    Array("Content-Type: message/rfc822\nContent-Disposition: attachment\n\n".utf8) + message.bytes
  }

  /// All but the text itself, each with its own header and content as they are, so that nothing of them is lost.
  private func attachments(_ bytes: UnsafeRawBufferPointer) -> [[UInt8]] {
    var taken: [String] = []
    return message.document.parts.compactMap { part in
      // What lies in a message that goes along goes along.
      guard Self.goesAlong(part), !taken.contains(where: { part.section.hasPrefix($0 + ".") })
      else {
        return nil
      }
      taken.append(part.section)
      let fields = HeaderFields(bytes, in: part.header)
      var copy: [UInt8] = []
      for field in fields.fields {
        let name = String(decoding: bytes[field.name], as: UTF8.self)
        guard name.lowercased().hasPrefix("content-") else { continue }
        let value = String(decoding: bytes[field.value], as: UTF8.self).filter { $0 != "\r" }
        copy += Array("\(name):\(value.hasPrefix(" ") ? "" : " ")\(value)".utf8)
        if copy.last != UInt8(ascii: "\n") { copy.append(UInt8(ascii: "\n")) }
      }
      copy.append(UInt8(ascii: "\n"))
      return copy + bytes[part.body].filter { $0 != UInt8(ascii: "\r") }
    }
  }

  /// Whether a part is more than another form of the text: pictures and invitations are, wherever they stand.
  private static func goesAlong(_ part: MessagePart) -> Bool {
    if part.isAttachment { return true }
    switch part.type.media {
    case "multipart": return false
    case "text":
      return !["plain", "html", "enriched", "richtext", "x-amp-html", "watch-html"]
        .contains(part.type.subtype)
    default: return true
    }
  }

  private static func boundary(notIn parts: [[UInt8]]) -> String {
    while true {
      let boundary = "mirror-\(UInt64.random(in: .min ... .max))"
      let bytes = Array(boundary.utf8)
      if !parts.contains(where: { $0.firstRange(of: bytes) != nil }) { return boundary }
    }
  }
}

extension Template {
  fileprivate mutating func textFields() {
    line("MIME-Version: 1.0")
    line("Content-Type: text/plain; charset=utf-8")
  }
}
