/// A server's deviation that makes us act differently. The raw value is its name in the configuration:
/// `quirks = ["broken-qresync", "-no-move"]`.
///
/// Deviations of syntax are no quirks: the parser takes them from every server. Nor are those that do no harm for
/// the way we work anyway. `Tests/QUIRKS.md` lists all of them, with the test of each.
package enum Quirk: String, CaseIterable, Sendable, Hashable {
  // Extensions that are offered and don't work.
  /// QRESYNC is announced, VANISHED comes malformed: CONDSTORE is used alone (iCloud).
  case brokenQresync = "broken-qresync"
  /// Mod-sequences are negative or never move: flags are always fetched (Zoho).
  case brokenModSeq = "broken-modseq"
  /// MOVE loses or doubles messages: COPY, then UID EXPUNGE (Exchange 2013).
  case noMove = "no-move"
  /// LIST with RETURN or STATUS in it is refused or brings nothing: plain LIST, then STATUS (Proton
  /// Bridge, strato).
  case noExtendedList = "no-extended-list"
  /// UIDPLUS is announced, UID EXPUNGE refused: \Deleted stays, and is reported (Proton Bridge).
  case noUIDExpunge = "no-uid-expunge"
  /// An initial response to AUTHENTICATE is refused although SASL-IR is announced (Coremail).
  case noInitialResponse = "no-initial-response"
  /// STATUS (MAILBOXID) brings bytes from elsewhere, LIST's STATUS too, and now and then they look like an id: only
  /// SELECT's counts (Cyrus 3.6).
  case rawMailboxID = "raw-mailbox-id"
  /// ESEARCH answers an empty result wrongly: SEARCH in the old way (Exchange).
  case brokenESearch = "broken-esearch"
  /// SEARCH HEADER fails: a message is found by fetching (Yahoo).
  case noHeaderSearch = "no-header-search"

  // What must be said when.
  /// Capabilities told before log-in, or in its OK, can't be trusted: CAPABILITY again (Exchange, iCloud).
  case capabilityAfterLogin = "capability-after-login"
  /// ID must come before SELECT, announced or not (Coremail's “Unsafe Login”).
  case idBeforeSelect = "id-before-select"
  /// An appended message is found only after CHECK (Exchange).
  case checkAfterAppend = "check-after-append"
  /// APPEND of a message without a final line end is refused: one is added on the way (Yahoo).
  case finalLineEnd = "final-line-end"
  /// \Flagged given to APPEND is lost: STORE it afterwards (Exchange).
  case flagsAfterAppend = "flags-after-append"
  /// Commands of more than 1000 bytes are refused or cut (Yahoo, Rackspace, and any unknown server).
  case shortCommands = "short-commands"
  /// Commands of 8 KiB are fine.
  case longCommands = "long-commands"

  // What can't be believed.
  /// RFC822.SIZE is off by up to three times (Exchange), or simply wrong (hMailServer).
  case wrongSizes = "wrong-sizes"
  /// A FETCH brings a text of the server's own in place of a message that it cannot render: that text is not stored,
  /// and the message is asked for again (Exchange).
  case missingBodies = "missing-bodies"
  /// VANISHED (EARLIER) names messages that are there: a listing must confirm it (Cyrus).
  case broadVanished = "broad-vanished"
  /// Only the newest messages of a mailbox are shown, so many or of so many days: what is missing from a listing may
  /// exist (Yahoo, Coremail, QQ).
  case partialView = "partial-view"
  /// A user's setting shows only the newest 1000, 2000, 5000 or 10,000 messages: a mailbox that has just as many may
  /// have more (Gmail).
  case limitedView = "limited-view"
  /// Back ends are out of step: what a list leaves out may be in the next one, so a message is gone after two looks some
  /// minutes apart (Yahoo, Domino, Free).
  case twoLooks = "two-looks"
  /// UIDs mean other messages between versions or restarts: what is to be flagged or moved, too, is looked at first, as
  /// what is to be deleted is everywhere (Proton Bridge).
  case unstableUIDs = "unstable-uids"
  /// A UID command on a missing UID acts on the next message: each is looked for first, and none expunged (dbmail).
  case actsOnNextUID = "acts-on-next-uid"
  /// Sessions see each other's changes late or never (Gmail, Cyrus).
  case sessionsDiffer = "sessions-differ"

  // What follows rules of its own.
  /// Labels are mailboxes; \Deleted and EXPUNGE only take a label off: never stored (Gmail).
  case gmail
  /// A message that is put into the mailbox Outbox is sent: it is neither mirrored nor appended to (Exchange, DavMail).
  case outboxSends = "outbox-sends"
  /// Messages get mixed up between sessions, or mail is lost: one connection only (hMailServer, Domino,
  /// Kerio, Axigen).
  case oneConnection = "one-connection"
  /// Parallel APPENDs break the UID map: each waits for the last one's answer (Stalwart).
  case serialAppend = "serial-append"

  /// Capabilities that the quirk takes away.
  var masked: [Capability] {
    switch self {
    case .brokenQresync: [.qresync]
    case .brokenModSeq: [.qresync, .condstore]
    case .noMove: [.move]
    case .noExtendedList: [.listExtended, .listStatus]
    case .noInitialResponse: [.saslInitialResponse]
    case .brokenESearch: [.esearch]
    default: []
    }
  }
}

extension CapabilitySet {
  /// What may be used, the quirks taken into account.
  package func without(_ quirks: Set<Quirk>) -> CapabilitySet {
    var result = self
    for quirk in quirks { for capability in quirk.masked { result.remove(capability) } }
    return result
  }
}
