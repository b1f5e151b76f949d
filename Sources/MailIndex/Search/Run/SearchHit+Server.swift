import MailCore
import Maildir

extension SearchHit {
  /// A message that the server has and that is not here, as far as its header tells of it.
  ///
  /// - Parameters:
  ///   - date: when it arrived, Unix seconds: its date where the header tells none.
  ///   - folder: as people name it.
  package init(
    onServer header: [UInt8], account: String, folder: String, date: Int64, size: Int64,
    marks: MessageMarks, now: Int64
  ) {
    var scratch: [UInt8] = []
    let message = header.withUnsafeBytes { bytes in
      MessageReading(bytes: bytes, account: 0, modified: date, now: now).message(scratch: &scratch)
    }
    self.init(
      id: 0, messageID: message.key.hasSuffix("@content.invalid") ? nil : message.key,
      threadID: nil, account: account, date: message.date, from: message.sender,
      to: message.recipients, cc: message.cc, subject: message.subject, snippet: "",
      flags: IndexFlags(marks.flags), size: size, attachmentCount: 0, listID: message.listID,
      keywords: Array(marks.keywords), files: [FoundFile(folder: folder, path: [])],
      attachments: [], isHere: false)
  }
}
