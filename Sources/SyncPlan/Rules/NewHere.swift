import Ledger
import MailCore
import Maildir

/// A file that is no known message's, in a mailbox's folder.
struct NewHere {
  let situation: PushSituation
  let mailbox: MailboxKey
  let file: UnknownFile
  let busy: BusyContents
  /// A folder that could not be read, if there is one.
  let unreadFolder: String?
  /// A message with its content was moved out of this mailbox.
  let repeatsMovedMessage: Bool
  /// And this plan carries that out on the server.
  let isMovePlanned: Bool

  private var content: ContentHash { file.digest.contentHash }
  private var birthplace: MailboxRecord? {
    BirthName(base: file.file.base).flatMap { birth in
      situation.mailboxes.first { birth.isBorn(in: $0.mailboxName) }
    }
  }

  /// And the server cannot copy the whole message by itself.
  var lacksParts: Bool { file.part?.isCopied == false }
  var takesNoChanges: Bool { situation.closed.contains(mailbox) }
  var refusesUploads: Bool { situation.denied[mailbox]?.contains(.uploads) == true }
  var mayBePulled: Bool {
    situation.record(mailbox)?.isSettled == false || birthplace?.isSettled == false
      || situation.awaitsPull || situation.awaited.contains(content)
  }
  /// A file that is held back was moved or copied here, or got another name.
  var mayBeHidden: Bool { situation.hidden.contains(content) }
  var mayHaveArrived: Bool {
    situation.busyNames.contains(file.file.base) || busy.holds(content, in: mailbox)
  }
  var mayComeFromUnreadFolder: Bool { unreadFolder != nil }
  var repeatsLeavingMessage: Bool { repeatsMovedMessage && isMovePlanned }
}
