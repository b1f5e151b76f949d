import IMAPClient
import IMAPWire
import Ledger
import MailCore
import Maildir
import Remote
import Settings
import State
import SyncPlan

/// What all parts of a push share. Each service uses those that stand before it here, and none knows a step.
struct PushDesk {
  let context: AccountContext
  let remote: RemoteConnection
  let report: PushReport
  let known: KnownMailboxes
  let refusals: RefusalBook
  let rights: AccessRights
  let mailboxes: PushMailboxes
  let journal: PushJournal
  let files: LocalFiles

  /// - Parameters:
  ///   - delays: waits before a refused change is tried again.
  ///   - triesAgain: what was given up is tried again.
  ///   - cut: what earlier attempts lost their connections over.
  ///   - onlyLooks: for a pull: nothing is changed on the server.
  init(
    context: AccountContext, session: IMAPSession, listings: [MailboxListing],
    folders: FolderPatterns,
    delays: [Double] = [], triesAgain: Bool = false,
    cut: CutMailboxes = CutMailboxes(), onlyLooks: Bool = false
  ) throws {
    self.context = context
    let catalogue = MailboxCatalogue(
      listings: listings, records: try context.state.mailboxes(), folders: folders)
    remote = RemoteConnection(session: session, labels: catalogue.labels, policy: context.policy)
    report = PushReport(context)
    known = try KnownMailboxes(
      listings, session: session, folders: folders, hasLabels: remote.isGmail, context)
    refusals = RefusalBook(
      context: context, known: known, report: report, delays: delays, triesAgain: triesAgain)
    rights = AccessRights(remote, known, refusals, report)
    mailboxes = PushMailboxes(context, remote, known, refusals, rights, cut, onlyLooks: onlyLooks)
    journal = PushJournal(context, known)
    files = LocalFiles(context: context)
  }
}

/// A part of a push, with what stands on the desk within reach.
protocol PushPart { var desk: PushDesk { get } }

extension PushPart {
  var context: AccountContext { desk.context }
  var state: StateStore { desk.context.state }
  var policy: MaildirPolicy { desk.context.policy }
  var remote: RemoteConnection { desk.remote }
  var session: IMAPSession { desk.remote.session }
  var report: PushReport { desk.report }
  var known: KnownMailboxes { desk.known }
  var refusals: RefusalBook { desk.refusals }
  var rights: AccessRights { desk.rights }
  var mailboxes: PushMailboxes { desk.mailboxes }
  var journal: PushJournal { desk.journal }
  var files: LocalFiles { desk.files }

  func name(_ mailbox: MailboxKey) -> String { known.name(mailbox) }

  func write(_ changes: (StateTransaction) throws -> Void) throws { try context.write(changes) }

  func count(_ kind: PushAction.Kind, _ mailbox: MailboxKey, detail: String? = nil, count: Int = 1)
  {
    report.count(PushAction(kind, mailbox: name(mailbox), detail: detail, count: count))
  }

  func tell(
    _ mailbox: MailboxKey, uid: UInt32? = nil, _ problem: String, again: String? = nil,
    remedy: String? = nil, exitStatus: ExitStatus = .inPart
  ) {
    report.tell(
      RunProblem(
        mailbox: name(mailbox), uid: uid, problem: problem, again: again, remedy: remedy,
        exitStatus: exitStatus))
  }
}
