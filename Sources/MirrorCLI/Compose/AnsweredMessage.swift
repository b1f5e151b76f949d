import MIME

/// What of a message's header an answer is made from.
struct AnsweredMessage: Equatable {
  var from: [MailAddress] = []
  var replyTo: [MailAddress] = []
  var to: [MailAddress] = []
  var cc: [MailAddress] = []
  /// Where answers to all are wanted (Mail-Followup-To); nil where nothing is said.
  var followUpTo: [MailAddress]?
  var subject = ""
  /// Without `<>`.
  var messageID: String?
  var references: [String] = []

  init() {}

  init(_ bytes: UnsafeRawBufferPointer) {
    let structure = MessageStructure.parse(bytes)
    let fields = HeaderFields(bytes, in: structure.parts.first?.header ?? 0..<0)
    let fallback = structure.headerFallback(bytes)
    func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(rebasing: bytes[range])
    }
    func addresses(_ ranges: [Range<Int>]) -> [MailAddress] {
      ranges.flatMap { AddressList.parse(slice($0), limit: 1000, fallback: fallback) }
        .filter { $0.address.contains("@") }
    }
    from = addresses(fields.all(.from))
    replyTo = addresses(fields.all(.replyTo))
    to = addresses(fields.all(.to))
    cc = addresses(fields.all(.cc))
    let followUp = fields.fields.filter { field in
      String(decoding: bytes[field.name], as: UTF8.self).lowercased() == "mail-followup-to"
    }
    let wanted = addresses(followUp.map(\.value))
    followUpTo = wanted.isEmpty ? nil : wanted
    subject = fields.first(.subject).map { HeaderText.decode(slice($0), fallback: fallback) } ?? ""
    messageID = fields.first(.messageID).flatMap { MessageIDs.messageID(slice($0)) }
    references = fields.first(.references).map { MessageIDs.references(slice($0)) } ?? []
    if references.isEmpty, let field = fields.first(.inReplyTo) {
      let (ids, isOne) = MessageIDs.inReplyTo(slice(field))
      if isOne { references = ids }
    }
  }

  /// The References of an answer (RFC 5322 §3.6.4): of long ones the first and the newest stay.
  var answerReferences: [String] {
    let most = 40
    var all = references.filter { $0 != messageID }
    if all.count > most { all = Array(all.prefix(1) + all.suffix(most - 1)) }
    return all + (messageID.map { [$0] } ?? [])
  }
}
