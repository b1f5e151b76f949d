import Foundation
import Ledger
import LocalChanges
import MailCore
import Maildir
import Settings
import State
import SyncPlan

/// What changed in an account's tree, and what a push would do about it with its mailboxes as they are, or as they would be
/// after its work on folders.
struct PushLook {
  let account: AccountSettings
  let tree: AccountTree
  let state: StateStore
  let policy: MaildirPolicy
  let options: PushOptions
  /// By the server's list, where there is one.
  let roles: FolderRoles?
  /// May write down what of other accounts it looked through.
  let remembers: Bool
  let environment: [String: String]
  let checkInterrupt: () throws -> Void
  let refusals: [PushRefusal]

  func plan(with all: [MailboxRecord]) throws -> (TreeChanges, PushPlan) {
    var changes = try changes(all)
    let gone = try GoneFolders(all, tree, state, policy)
    var situation = try situation(all, gone)
    let parts = PartsElsewhere(
      tree: tree, policy: policy, otherAccounts: account.otherAccounts, environment: environment,
      remembers: remembers)
    let missing = changes.gone.map(\.record)
    try parts.judge(&changes.new, missing, state)
    let copies = CopyPlan(
      state: state, mailboxes: all, stubs: StubComparison(tree: tree, policy: policy))
    try copies.markCopies(among: &changes.new)
    if !missing.isEmpty { situation.unsent = try parts.find(missing, state) }
    situation.unsent.parts.insert(contentsOf: changes.new.compactMap(\.part), at: 0)
    var bare = PushPlanner(situation).plan(changes)
    bare.unsent = gone.unsent.compactMap { $0.without(bare.waiting) }
    var plan = try LabelPlan(bare, all).refined(copies.refined(bare), state)
    try WindowedFiles(state: state, account: account.name, mailboxes: all).leave(&plan)
    return (changes, plan)
  }

  private var folders: FolderPatterns { account.sync.folders }

  /// Mailboxes that changes may go to.
  private func pushed(_ all: [MailboxRecord]) -> [MailboxRecord] {
    all.filter {
      (folders.matches($0.mailboxName) || $0.keepsNothing) && ($0.isNew || $0.isMatched)
    }
  }

  private func changes(_ all: [MailboxRecord]) throws -> TreeChanges {
    try ChangeFinder(
      tree: tree, policy: policy, state: state, mailboxes: pushed(all),
      homes: all.filter { !$0.isGone }.map(\.folder), comparesAll: options.full,
      compared: options.compared, checkInterrupt: checkInterrupt
    ).find()
  }

  // MARK: What the state knows

  private func situation(_ all: [MailboxRecord], _ gone: GoneFolders) throws -> PushSituation {
    let naming = try FolderNaming(
      tree: tree, policy: policy, folders: folders,
      mailboxes: all.filter { !$0.isGone || gone.left.contains($0.id) },
      state: state)
    let denied = options.full ? [:] : refusals.denied
    var situation = PushSituation(
      mailboxes: all, deletions: account.sync.deletions,
      allowsMassDelete: options.allowsMassDelete,
      closed: Set(denied.filter { $0.value.contains(.mailbox) }.keys),
      unkeepable: options.full ? [:] : refusals.unkeepable, nameOfNewFolder: naming.name)
    let now = Int64(Date().timeIntervalSince1970)
    if let days = account.sync.window.days {
      situation.windowStart = WindowPlan.days(days, now: now).start
    }
    situation.unmirrored = Set(
      pushed(all).filter { !$0.keepsNothing && !MailboxCatalogue.isMirrored($0, folders) }
        .map(\.id))
    situation.hasFolder = naming.hasFolder
    situation.roles = roles
    situation.denied = denied
    situation.lost = refusals.lost
    situation.holds = try state.deletionHolds()
    situation.carried = try state.carriedDeletions(since: now - DeletionGuard.memory)
    situation.unsettled = try unsettled(all)
    situation.isAdopting = try state.account().adoptsNewMailboxes
    try addUnfinished(all, to: &situation)
    try addAwaited(to: &situation)
    return situation
  }

  /// What an interrupted push had under way.
  private func addUnfinished(_ all: [MailboxRecord], to situation: inout PushSituation) throws {
    // Those that are only to be expunged have no file, and nothing waits for them.
    for step in try state.pushSteps() where !step.isCopied {
      if step.isUpload {
        situation.busyNames.insert(step.record.name)
        situation.busyUploads.append(
          UploadUnderWay(
            mailbox: step.target, name: step.record.name, contentHash: step.record.contentHash))
      } else if step.stage != .unconfirmed, step.record.contentHash != .unknown {
        // Wherever its file lies by now: until the step is confirmed, that is no other message's.
        situation.busyContents.insert(step.record.contentHash)
      }
      // Under other numbers it is another message.
      if let source = step.source,
        all.contains(where: { $0.id == source.mailbox && $0.uidValidity == source.uidValidity })
      {
        situation.busy.insert(MessageKey(mailbox: source.mailbox, uid: source.uid))
      }
    }
  }

  /// Messages that a pull has still to find elsewhere, or that are out of view.
  private func addAwaited(to situation: inout PushSituation) throws {
    for mailbox in try state.mailboxesWithExpunged() {
      let expunged = try state.messages(in: mailbox, state.uids(.expunged, in: mailbox))
      situation.awaited.formUnion(expunged.lazy.map(\.contentHash).filter { $0 != .unknown })
    }
    situation.awaited.formUnion(try state.undecidedContents())
    situation.hidden = try state.contentsOutOfView()
  }

  /// Mailboxes that a pull left half way; of one that the server does not open nothing more can be known.
  private func unsettled(_ all: [MailboxRecord]) throws -> Set<MailboxKey> {
    let closed = Set(try state.failures().compactMap(\.closedMailbox))
    return Set(
      all.filter {
        !$0.isGone && MailboxCatalogue.isMirrored($0, folders) && !$0.isSettled
          && ($0.uidValidity != 0 || $0.needsAdoption)
      }.map(\.id)
    ).subtracting(closed)
  }
}
