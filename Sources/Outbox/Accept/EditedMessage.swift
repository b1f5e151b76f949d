import MIME
import MailCore
import Queue
import Settings

/// A queued message as an editor sees it: two lines for the envelope, then the message.
package struct EditedMessage {
  /// What the editor opens.
  package let text: [UInt8]
  private let old: QueueEntry

  private static let fromName = "X-Envelope-From"
  private static let toName = "X-Envelope-To"

  /// Those who have the message already, or were given up, are left out.
  package init(_ entry: QueueEntry, _ bytes: [UInt8]) {
    var header = RawHeader()
    if let envelope = entry.envelope {
      let results = zip(envelope.recipients, entry.phase.recipients).enumerated()
      let waiting = results.filter { index, result in
        result.1.state != .sent && !entry.phase.givenUp.contains(index)
      }.map(\.element.0)
      header.append(.init(Self.fromName, "<\(envelope.sender)>"))
      header.append(.init(Self.toName, waiting.joined(separator: ",\n ")))
    }
    old = entry
    text = header.bytes.dropLast() + bytes
  }

  /// Queues what the editor left, by the account that the message had, held: the old one is still there.
  ///
  /// - Throws: as ``MessageAcceptance/accept(_:)`` does, and where header and envelope no longer say the same.
  package func queue(
    _ edited: [UInt8], account: AccountSettings, accounts: [AccountSettings], root: String,
    localNames: Set<String>, temporaryDirectory: String = "/tmp"
  ) throws -> SubmissionEnvelope {
    let (whole, bodyStart) = edited.withUnsafeBytes { RawHeader.parse($0) }
    let (before, _) = text.withUnsafeBytes { RawHeader.parse($0) }
    guard whole.has(Self.toName) else { throw AcceptanceError.noEnvelopeRecipients }
    try Self.checkEnvelope(of: whole, before: before)
    var header = whole
    header.remove([Self.fromName, Self.toName])
    if old.mayHaveBeenSent { Self.makeAnother(&header, than: before) }
    var request = MessageAcceptance.Request()
    request.account = account.name
    request.notify = old.envelope?.notify
    request.held = HoldReason.edited
    request.sender = whole.first(Self.fromName).map { String(decoding: $0.value, as: UTF8.self) }
    request.recipients = whole.all(Self.toName).map { field in
      String(decoding: field.value.filter { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
    }
    let spool = MessageSpool(directory: temporaryDirectory)
    var reading = MessageReading(into: spool, endsAtDot: false)
    let bytes = header.bytes + edited[bodyStart...]
    let failure = bytes.withUnsafeBytes { bytes -> AcceptanceError? in
      do throws(AcceptanceError) { try reading.take(bytes) } catch { return error }
      return nil
    }
    if let failure { throw failure }
    try reading.finish()
    let acceptance = MessageAcceptance(
      request, accounts: accounts, root: root, localNames: localNames)
    return try acceptance.accept(spool).envelope
  }

  /// Who changes To and leaves the envelope as it was thinks that the message goes to the new ones: it would go to the
  /// old ones, under a header that names others. Whoever changes the envelope too has said what they want.
  private static func checkEnvelope(of edited: RawHeader, before: RawHeader)
    throws(AcceptanceError)
  {
    let envelope = addresses(edited, [toName])
    guard envelope == addresses(before, [toName]) else { return }
    let fields = ["To", "Cc", "Bcc", "Resent-To", "Resent-Cc", "Resent-Bcc"]
    let (old, new) = (addresses(before, fields), addresses(edited, fields))
    let added = new.subtracting(old).subtracting(envelope).sorted()
    let removed = old.subtracting(new).intersection(envelope).sorted()
    guard added.isEmpty, removed.isEmpty else {
      throw .envelopeLeftBehind(added: added, removed: removed)
    }
  }

  private static func addresses(_ header: RawHeader, _ names: [String]) -> Set<String> {
    let fields = names.flatMap { header.all($0) }
    return Set(
      fields.flatMap { field in
        Array(field.value).withUnsafeBytes {
          AddressList.parse($0, limit: RecipientList.limit + 1).map { $0.address.lowercased() }
        }
      }.filter { !$0.isEmpty })
  }

  /// Where somebody may have the old one, the new one is another message: by the same Message-ID and Date it
  /// would be taken for a copy.
  private static func makeAnother(_ header: inout RawHeader, than before: RawHeader) {
    guard header.messageID == before.messageID else { return }
    header.remove(["Message-ID", "Date"])
  }
}
