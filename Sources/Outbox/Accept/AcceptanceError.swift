import MailCore
import Maildir

/// Why `mirror sendmail` does not take a message.
package enum AcceptanceError: Error, Equatable, Sendable {
  case noRecipient
  case badAddress(String, AddressUse)
  case tooManyRecipients(limit: Int)
  case bareCarriageReturn(line: Int)
  case nulByte(line: Int)
  case tooLarge(limit: UInt64)
  /// By what the account's server said when it was last asked.
  case tooLargeForServer(UInt64, limit: UInt64)
  case headerTooLong
  case headerLineTooLong(field: String)
  /// The body has lines over 998 bytes, and the part they stand in is signed.
  case signedLongLines
  case unclearStructure
  case noSender(account: String)
  case noServer(account: String)
  case whichAccount([String])
  case unknownAccount(String, known: [String])
  /// While the message was read.
  case accountRemoved(String)
  case unusable(option: String, OptionFault)
  case input(String)
  /// The message found no room while it was read; the system's words.
  case spool(String)
  /// The queue's files could not be written.
  case files(MaildirError)
  /// The mail tree is not there, nor the directory that it lies in.
  case treeAbsent(path: String, why: String?)
  /// The header ends at a line that is none of one, and more fields follow, Bcc among them.
  case brokenHeader(line: Int)
  /// Parts of it, or of a message in it, are still on a server.
  case stub(command: String)
  /// It hands on the text that stands in the place of such parts.
  case stubText(command: String?)
  /// An editor left no X-Envelope-To.
  case noEnvelopeRecipients
  /// An editor left the envelope's recipients as they were, and named others in the header: who is to get it?
  case envelopeLeftBehind(added: [String], removed: [String])

  package enum AddressUse: Sendable { case recipient, sender }

  package enum OptionFault: Equatable, Sendable {
    case unknown, noValue, sendsQueue, listsQueue, daemon
    case noBodyType(String)
    case noNotification(String)

    var words: String {
      switch self {
      case .unknown: "there is no such option"
      case .noValue: "its value is missing"
      case .sendsQueue: "`mirror push` sends the queue"
      case .listsQueue: "`mirror outbox` lists the queue"
      case .daemon: "this is no daemon"
      case .noBodyType(let value): "“\(value)” is neither 7BIT nor 8BITMIME"
      case .noNotification(let value):
        "“\(value)” is neither never nor a list of success, failure, delay"
      }
    }
  }
}

extension AcceptanceError: Explained {
  package var explanation: Explanation {
    switch self {
    case .noRecipient:
      Explanation(
        problem: "The message has no recipient, so it was not queued.",
        remedy: "Name one behind the options, or give -t to take To, Cc and Bcc.",
        exitStatus: .usage)
    case .badAddress(let text, let use):
      Explanation(
        problem:
          "“\(text.visible)” is no address that mail can be \(use == .sender ? "sent from" : "sent to"),"
          + " so the message was not queued.",
        remedy: "Write it as name@example.org.", exitStatus: .badData)
    case .tooManyRecipients(let limit):
      Explanation(
        problem: "A field names more than \(limit) recipients, so the message was not queued.",
        remedy: "Send it in parts, or to a mailing list.", exitStatus: .badData)
    case .bareCarriageReturn(let line):
      Explanation(
        problem: "Line \(line) of the message holds a carriage return without a line feed, so it"
          + " was not queued.",
        remedy: "Encode the part as base64 or quoted-printable.", exitStatus: .badData)
    case .nulByte(let line):
      Explanation(
        problem: "Line \(line) of the message holds a NUL byte, so it was not queued.",
        remedy: "Encode the part as base64.", exitStatus: .badData)
    case .tooLarge(let limit):
      Explanation(
        problem: "The message has more than \(limit >> 20) MiB, which no server takes.",
        exitStatus: .badData)
    case .tooLargeForServer(let size, let limit):
      Explanation(
        problem: "The message has \(size) bytes, and the account’s server takes no more than "
          + "\(limit): it was not queued.",
        remedy: "Send it in parts, or by other means.", exitStatus: .badData)
    case .headerTooLong:
      Explanation(problem: "The message’s header has more than 2 MiB.", exitStatus: .badData)
    case .headerLineTooLong(let field):
      Explanation(
        problem:
          "A line of the field “\(field)” has more than 998 bytes and no blank to fold it at.",
        remedy: "Shorten it.", exitStatus: .badData)
    case .signedLongLines:
      Explanation(
        problem: "The message has lines of more than 998 bytes in a part that is signed: to encode"
          + " them would break the signature.",
        remedy: "Have the mail program encode the text before it signs it.", exitStatus: .badData)
    case .unclearStructure:
      Explanation(
        problem: "The message has lines of more than 998 bytes, and its parts are too damaged to"
          + " encode them.",
        remedy: "Encode the text as quoted-printable.", exitStatus: .badData)
    case .noSender(let account):
      Explanation(
        problem: "The message names no sender, and the account “\(account)” has no email.",
        remedy: "Write email = \"…\" in the configuration, or give -f.", exitStatus: .configuration)
    case .noServer(let account):
      Explanation(
        problem: "The account “\(account)” has no server to send with.",
        remedy: "Write [accounts.\(account).smtp] with its host.", exitStatus: .configuration)
    case .whichAccount(let names):
      Explanation(
        problem: "The sender belongs to none of the accounts.",
        remedy: "Give -a with one of: \(names.joined(separator: ", ")).", exitStatus: .usage)
    case .unknownAccount(let name, let known):
      Explanation(
        problem: "There is no account “\(name)”.",
        remedy: "The accounts are: \(known.joined(separator: ", ")).", exitStatus: .usage)
    case .accountRemoved(let name):
      Explanation(
        problem:
          "The account “\(name)” was removed from the configuration meanwhile, so the message was not queued.",
        remedy: "Send it from another account.", exitStatus: .configuration)
    case .unusable(let option, let fault):
      Explanation(problem: "\(option): \(fault.words).", exitStatus: .usage)
    case .treeAbsent(let path, let why):
      Explanation(
        problem: why ?? "There is no directory \(path.visible), so the message was not queued.",
        remedy:
          "Mount the disk that the mail tree lies on, or make the directory; then send it again.",
        exitStatus: .busy)
    case .brokenHeader(let line):
      Explanation(
        problem: "Line \(line) of the message is no header field, and a Bcc field stands behind it:"
          + " it would have become visible to everybody, so the message was not queued.",
        remedy: "Correct the header.", exitStatus: .badData)
    case .stub(let command):
      Explanation(
        problem: "The message holds a stub: what it stands for is still on the server, and nobody"
          + " would get it. It was not queued.",
        remedy: "Run `\(command.visible)`, and compose the message again.", exitStatus: .badData)
    case .stubText(let command):
      Explanation(
        problem: "The message hands on the text of a stub: what that stands for is still on the"
          + " server, and nobody would get it. It was not queued.",
        remedy: (command.map { "Run `\($0.visible)`" } ?? "Fill that message with `mirror fill`")
          + ", and compose the message again. If nothing is missing in it, `mirror sendmail --force`"
          + " queues it as it is.", exitStatus: .badData)
    case .input(let words):
      Explanation(
        problem: "The message could not be read: \(words). It was not queued.",
        exitStatus: .badData)
    case .spool(let words):
      Explanation(
        problem: "The message was not queued: no room to read it into (\(words.visible)).",
        remedy: "Make room there, or name another directory in TMPDIR; then send it again.",
        exitStatus: .busy)
    case .files(let error): Self.explanation(of: error)
    case .noEnvelopeRecipients:
      Explanation(
        problem: "The edited message has no X-Envelope-To any more, so nobody would get it: it was"
          + " not queued.",
        remedy: "Write X-Envelope-To at its top, with all who are to get it.", exitStatus: .badData)
    case .envelopeLeftBehind(let added, let removed): Self.leftBehind(added, removed)
    }
  }

  /// As sendmail(8) has it: 75 tells a mail program that the same may work later.
  private static func explanation(of error: MaildirError) -> Explanation {
    let words = error.explanation
    var remedy = "Send it again once that is mended."
    var status = ExitStatus.busy
    switch error {
    case .noSpace, .overQuota: remedy = "Make room, then send it again."
    case .readOnly: remedy = "Mount it writable, then send it again."
    case .notPermitted:
      remedy = words.remedy ?? remedy
      status = .refused
    case .treeVanished: remedy = "Mount its disk, or correct the configuration's root."
    case .notMaildir, .vanished, .changed, .nameTaken, .noLetter, .badName, .nameNotText,
      .noMessage,
      .locked, .notEmpty, .system:
      break
    }
    return Explanation(
      problem: "The message was not queued. \(words.problem)", remedy: remedy, exitStatus: status)
  }

  private static func leftBehind(_ added: [String], _ removed: [String]) -> Explanation {
    let changes = [
      added.isEmpty ? nil : "name \(added.map(\.visible).joined(separator: ", "))",
      removed.isEmpty ? nil : "leave out \(removed.map(\.visible).joined(separator: ", "))",
    ]
    return Explanation(
      problem: "To, Cc or Bcc \(changes.compactMap { $0 }.joined(separator: " and ")) now, and"
        + " X-Envelope-To, which says who gets it, was left as it was: it was not queued.",
      remedy: "Write into X-Envelope-To all who are to get it.", exitStatus: .badData)
  }
}
