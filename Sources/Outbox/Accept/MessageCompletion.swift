import MIME
import SMTPWire

/// What a message lacks for its way: Date, Message-ID, From, MIME-Version; and what must not go with it:
/// Bcc. Pure: the time and the random part of an id are given.
struct MessageCompletion {
  let identity: SenderIdentity
  /// MAIL FROM, where it was asked for; the empty string is the null sender.
  let sender: String?
  let moment: MessageMoment
  /// Letters and digits, never the same twice.
  let uniqueName: String

  struct Result: Sendable {
    var header: RawHeader
    /// Empty: the null sender.
    var sender: String
    /// Without angle brackets.
    var messageID: String?
    var subject: String?
  }

  /// - Parameters:
  ///   - hasEightBit: the body has bytes above 127.
  ///   - bodyIsUTF8: false where its bytes above 127 are none.
  ///   - account: for the error's words.
  func complete(
    _ original: RawHeader, hasEightBit: Bool, bodyIsUTF8: Bool, account: String
  ) throws(AcceptanceError) -> Result {
    var header = original
    header.remove(["Bcc", "Resent-Bcc", "Return-Path"])
    let from = try completeFrom(&header, account: account)
    if !header.has("Date") { header.append(.init("Date", moment.text)) }
    let sender = try envelopeSender(original, from: from)
    completeMessageID(&header, from: from)
    completeMIME(&header, hasEightBit: hasEightBit, bodyIsUTF8: bodyIsUTF8)
    header.change { HeaderEncoding.encode(&$0) }
    try header.change { field throws(AcceptanceError) in
      guard let folded = HeaderFolding.folded(field.bytes) else {
        throw .headerLineTooLong(field: field.name)
      }
      field.bytes = folded
    }
    return Result(
      header: header, sender: sender,
      messageID: header.messageID,
      subject: header.first("Subject").map { field in
        String(Array(field.value).withUnsafeBytes { HeaderText.decode($0) }.prefix(500))
      })
  }

  // MARK: From

  /// The first address of From, completed where it names none that can be answered, as cron's.
  private func completeFrom(_ header: inout RawHeader, account: String) throws(AcceptanceError)
    -> String
  {
    let entries = header.first("From").map { field in
      Array(field.value).withUnsafeBytes { AddressList.parse($0) }
    }
    if let entry = entries?.first(where: { (try? SubmissionAddress($0.address)) != nil }) {
      return entry.address
    }
    let given = sender.flatMap { $0.contains("@") ? $0 : nil }
    guard let address = given ?? identity.email else { throw .noSender(account: account) }
    let checked = try identity.resolved(address, .sender)
    let name = entries?.first.map(\.name) ?? ""
    header.set(
      .init(
        "From",
        HeaderEncoding.mailbox(
          name: name.isEmpty ? identity.name ?? "" : name,
          address: checked.withASCIIDomain ?? checked.text)))
    return checked.text
  }

  /// Reports go to whoever sends it now: who passes a message on is named in its Resent- fields, or nowhere
  /// at all, where From is somebody else's.
  private func envelopeSender(_ header: RawHeader, from: String) throws(AcceptanceError) -> String {
    guard let sender else {
      let resent = ["Resent-Sender", "Resent-From"].lazy.compactMap { Self.address(header, $0) }
      if let address = resent.first { return address }
      if let email = identity.email, !identity.isOwn(from) {
        return try identity.resolved(email, .sender).text
      }
      return try identity.resolved(from, .sender).text
    }
    if sender.isEmpty || sender == "<>" { return "" }
    return try identity.resolved(sender, .sender).text
  }

  private static func address(_ header: RawHeader, _ name: String) -> String? {
    let entries = header.first(name).map { field in
      Array(field.value).withUnsafeBytes { AddressList.parse($0) }
    }
    return entries?.first { (try? SubmissionAddress($0.address)) != nil }?.address
  }

  // MARK: The rest

  private func completeMessageID(_ header: inout RawHeader, from: String) {
    guard !header.has("Message-ID") else { return }
    let domain = from.lastIndex(of: "@").map { String(from[from.index(after: $0)...]) }
    let ascii = domain.flatMap { IDNADomain.ascii($0) } ?? "localhost"
    header.append(.init("Message-ID", "<\(uniqueName)@\(ascii)>"))
  }

  /// A body beyond ASCII that says nothing of itself is text in UTF-8, if it is UTF-8 at all.
  private func completeMIME(_ header: inout RawHeader, hasEightBit: Bool, bodyIsUTF8: Bool) {
    let says = header.fields.contains { $0.name.lowercased().hasPrefix("content-") }
    if !header.has("MIME-Version") { header.append(.init("MIME-Version", "1.0")) }
    guard !header.has("Content-Type"), !says || hasEightBit else { return }
    let charset = !hasEightBit ? "us-ascii" : bodyIsUTF8 ? "utf-8" : "unknown-8bit"
    header.append(.init("Content-Type", "text/plain; charset=\(charset)"))
    if hasEightBit, !header.has("Content-Transfer-Encoding") {
      header.append(.init("Content-Transfer-Encoding", "8bit"))
    }
  }
}
