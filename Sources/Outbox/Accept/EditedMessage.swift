import MIME
import MailCore
import Queue
import Settings

/// A queued message as an editor sees it: two lines for the envelope, then the message.
package struct EditedMessage {
  package let text: [UInt8]

  private static let fromName = "X-Envelope-From"
  private static let toName = "X-Envelope-To"

  /// Those who have the message already are left out.
  package init(_ entry: QueueEntry, _ bytes: [UInt8]) {
    var header = RawHeader()
    if let envelope = entry.envelope {
      let waiting = zip(envelope.recipients, entry.phase.recipients)
        .filter { $0.1.state != .sent }.map(\.0)
      header.append(.init(Self.fromName, "<\(envelope.sender)>"))
      header.append(.init(Self.toName, waiting.joined(separator: ",\n ")))
    }
    text = header.bytes.dropLast() + bytes
  }

  /// Queues what the editor left, by the account that the message had, held: the old one is still there.
  ///
  /// - Throws: as ``MessageAcceptance/accept(_:)`` does.
  package static func queue(
    _ text: [UInt8], insteadOf old: QueueEntry, account: AccountSettings,
    accounts: [AccountSettings], root: String, localNames: Set<String>,
    temporaryDirectory: String = "/tmp"
  ) throws -> SubmissionEnvelope {
    let (whole, bodyStart) = text.withUnsafeBytes { RawHeader.parse($0) }
    var header = whole
    header.remove([fromName, toName])
    if old.phase.mayHaveArrived { makeAnother(&header, than: old) }
    var request = MessageAcceptance.Request()
    request.account = account.name
    request.notify = old.envelope?.notify
    request.held = HoldReason.edited
    request.sender = whole.first(fromName).map { String(decoding: $0.value, as: UTF8.self) }
    request.recipients = whole.all(toName).map { field in
      String(decoding: field.value.filter { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
    }
    let spool = MessageSpool(directory: temporaryDirectory)
    var reading = MessageReading(into: spool, endsAtDot: false)
    let bytes = header.bytes + text[bodyStart...]
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

  /// Where somebody may have the old one, the new one is another message: by the same Message-ID and Date it
  /// would be taken for a copy.
  private static func makeAnother(_ header: inout RawHeader, than old: QueueEntry) {
    let id = header.first("Message-ID").flatMap { field in
      Array(field.value).withUnsafeBytes { MessageIDs.messageID($0) }
    }
    guard id == old.envelope?.messageID else { return }
    header.remove(["Message-ID", "Date"])
  }
}
