import Foundation
import Ledger
import LocalChanges
import MailCore
import Maildir
import Settings
import State
import SyncPlan

/// What a push finds in an account's tree and would do about it. Asks no server and writes nothing: `--dry-run` and
/// `mirror status` use it as it is.
package struct PushSurvey {
  package private(set) var changes: TreeChanges
  package private(set) var plan: PushPlan
  package private(set) var mailboxes: [MailboxRecord]
  /// What the plan takes mailboxes for.
  let roles: FolderRoles
  /// What a push does to folders, where the rest of the plan is for what comes of it.
  private var foreseen: [PushAction] = []
  /// What a person must hear of: mailboxes left alone, deletions held back.
  package private(set) var problems: [RunProblem] = []

  /// From outside a run: opens the tree and the state for reading.
  init(
    account: AccountSettings, root: String, options: PushOptions, environment: [String: String],
    foresees: Bool = true
  ) throws {
    let path = root + "/" + account.name
    let witness = TreeWitness(accountPath: path, environment: environment)
    guard FileManager.default.fileExists(atPath: path + "/.mirror/state.db") else {
      try witness.checkTree(path: path)
      throw PushError.neverPulled
    }
    let tree = try AccountTree.openExisting(path: path)
    let state = try StateStore(path: path + "/.mirror/state.db", durable: false, readOnly: true)
    defer { state.shut() }
    let opening = StateOpening(tree: tree, witness: witness, durable: false)
    if try opening.needsMatching(state) { throw PushError.needsPull }
    try self.init(
      account: account, tree: tree, state: state, policy: MaildirPolicy(account.sync),
      options: options, foresees: foresees, environment: environment)
  }

  /// - Parameters:
  ///   - roles: by the server's list, where there is one.
  ///   - foresees: also what a push would find after its work on folders. It carries that out, and looks again; here the
  ///     state's mailboxes are taken for what they would be then.
  ///   - remembers: may write down what of other accounts it looked through.
  init(
    account: AccountSettings, tree: AccountTree, state: StateStore, policy: MaildirPolicy,
    options: PushOptions, roles: FolderRoles? = nil, foresees: Bool = false,
    remembers: Bool = false, environment: [String: String],
    checkInterrupt: @escaping () throws -> Void = {}
  ) throws {
    try policy.keywords.checkKept(in: state)
    // A run settles that first.
    if foresees, try state.relocationUnderWay() != nil { throw PushError.foldersMoving }
    mailboxes = try state.mailboxes()
    let refusals = try state.pushRefusals()
    known = Dictionary(grouping: refusals, by: \.mailbox).mapValues { Set($0.map(\.subject)) }
    refusedNames = refusals.namesRefused
    holdsBefore = try state.deletionHolds()
    let look = PushLook(
      account: account, tree: tree, state: state, policy: policy, options: options, roles: roles,
      remembers: remembers, environment: environment, checkInterrupt: checkInterrupt,
      refusals: refusals)
    func holds(_ path: FolderPath) throws -> Bool { try MaildirFolder.exists(path, in: tree) }
    if let rename = try state.renameUnderWay() {
      // An interrupted push asked for it. Only the server knows whether it was done, and that is as good as certain.
      foreseen = rename.actions(mailboxes)
      mailboxes = try rename.applied(to: mailboxes, holds: holds)
    }
    (changes, plan) = try look.plan(with: mailboxes)
    self.roles = roles ?? FolderRoles(mailboxes.filter { !$0.isGone })
    var rounds = foresees ? Self.folderRounds : 0
    while rounds > 0, !plan.renames.isEmpty || !plan.creations.isEmpty {
      let places = RenamedPlaces(
        renames: plan.renames, layout: policy.layout, holds: holds, isTaken: tree.holds)
      let future = try ForeseenMailboxes(mailboxes, after: plan, places)
      foreseen += future.actions
      mailboxes = future.mailboxes
      (changes, plan) = try look.plan(with: mailboxes)
      rounds -= 1
    }
    plan.leave(options.leaving, drafts: self.roles.drafts, holdsBefore: holdsBefore)
    problems = notes(mailboxes.filter { $0.needsAdoption && !$0.isGone })
  }

  /// Behind the work on folders others may show, that have the old names of those. So often a push looks again.
  static let folderRounds = 3

  private let known: [MailboxKey: Set<RefusalSubject>]
  /// The server's words, by the name of the mailbox that it refused to make.
  private let refusedNames: [String: String]
  private let holdsBefore: [DeletionHold]

  package var actions: [PushAction] { foreseen + plan.actions(mailboxes) }
  var unfinished: [PushAction] { plan.unfinished(name) }
  var filesRead: Int { changes.expected.values.reduce(0, +) }

  func name(_ mailbox: MailboxKey) -> String {
    mailboxes.first { $0.id == mailbox }?.name ?? "?"
  }

  // MARK: Telling

  private func notes(_ waiting: [MailboxRecord]) -> [RunProblem] {
    var notes = plan.held.map { $0.problem(in: name($0.mailbox)) }
    notes += waiting.map {
      RunProblem(
        mailbox: $0.name, problem: "This mailbox has to be matched with the server first.",
        again: "Run `mirror pull`, then push again.")
    }
    notes += plan.waiting.map { wait in
      RunProblem(
        mailbox: name(wait.mailbox),
        problem: (wait.count == 1 ? "1 change waits" : "\(wait.count) changes wait")
          + ": \(wait.reason.words).", again: wait.reason.again,
        remedy: wait.reason.remedy, exitStatus: wait.reason.exitStatus)
    }
    notes += plan.refusedCreations.map { creation in
      RunProblem(
        mailbox: creation.name,
        problem:
          "The server refuses to make this mailbox\(refusedNames[creation.name] ?? ""): its folder stays here, "
          + "with what is in it.",
        remedy: RefusalRemedy(change: .creation, obstacle: nil, isGivenUp: true).words)
    }
    notes += plan.unsent.map(\.problem) + folderNotes + unreadNotes
    if changes.isRaced {
      notes.append(
        RunProblem(
          problem:
            "Mail readers changed the tree all the while: moves, new messages and deletions wait.",
          again: "Push again when they rest.", exitStatus: .inPart))
    }
    return notes
  }

  /// Deletions that are held back stay so, however the tree looks to the next run: it finds the folders to be what they
  /// were found to be in this one.
  func noteHolds(_ context: AccountContext) throws {
    let holds = plan.holds
    let seen = changes.newIdentities.filter {
      changes.replacedFolders.contains($0.key) && isSettled($0.key)
    }
    guard holds != holdsBefore || !seen.isEmpty else { return }
    try context.write { transaction in
      for (mailbox, identity) in seen {
        try transaction.setFolderIdentity(identity.rawValue, of: mailbox)
      }
      for old in holdsBefore where !holds.contains(where: { $0.mailbox == old.mailbox }) {
        try transaction.removeHold(of: old.mailbox)
      }
      for hold in holds where !holdsBefore.contains(hold) {
        try transaction.put(hold, at: context.started)
      }
    }
  }

  /// Nothing is missing in the mailbox's folder but what is held back.
  private func isSettled(_ mailbox: MailboxKey) -> Bool {
    let hold = plan.holds.first { $0.mailbox == mailbox }
    return changes.gone.allSatisfy {
      $0.mailbox != mailbox || hold?.holds($0.record.uid) == true
    }
  }

  /// Servers cannot change a message: said once for each edit.
  func noteEdits(_ context: AccountContext) throws {
    for edit in plan.edits {
      let subject = RefusalSubject.edit(
        edit.record.uid, contentHash: edit.file.digest.contentHash)
      guard known[edit.mailbox]?.contains(subject) != true else { continue }
      try context.write {
        try $0.put(
          PushRefusal(
            mailbox: edit.mailbox, subject: subject, attempts: 1, lastAttempt: context.started,
            reason: "edited"))
      }
      context.note(
        RunProblem(
          mailbox: name(edit.mailbox), uid: edit.record.uid.rawValue,
          problem:
            "“\(edit.file.file.description.visible)” was edited here, and "
            + (edit.record.isStub
              ? "it is only a part of its message: the edit stays on this side only."
              : "servers cannot change a message: the edit stays on this side only."),
          remedy: edit.record.isStub
            ? "`mirror revert` brings back what was pulled, and `mirror fill` the whole message."
            : "To send it as a new message, save it under a new name; only drafts are replaced."
        ))
    }
  }
}
