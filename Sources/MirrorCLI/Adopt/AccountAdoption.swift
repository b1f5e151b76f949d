import CLISupport
import Foundation
import LocalChanges
import MailCore
import Maildir
import Settings
import Setup
import Sync
import SyncPlan

/// What a run of `mirror adopt` came to.
struct AdoptOutcome: Sendable {
  var moves: [MoveReport] = []
  var tags: TagReport?
  /// What kept trees from being taken over, wholly or in part.
  var failures: [any Explained] = []
}

/// The work on the trees, one account after the other. Blocks.
struct AccountAdoption: Sendable {
  let request: AdoptRequest
  let root: String
  let accounts: [AccountSettings]

  private var isStopped: @Sendable () -> Bool { { StopSignals.received != nil } }

  /// - Throws: what nobody could foresee, and what failed where nothing else was to be done; of several trees each is
  ///   tried.
  func run(_ subjects: [MoveSubject]) throws -> AdoptOutcome {
    var outcome = AdoptOutcome()
    var tagging = request.tags.map {
      TagRun($0, isRehearsal: request.isDryRun, isStopped: isStopped)
    }
    for subject in subjects where !isStopped() {
      do {
        try adopt(subject, &tagging, &outcome)
      } catch {
        guard subjects.count > 1, let explained = error as? any Explained else { throw error }
        outcome.failures.append(explained)
      }
    }
    outcome.tags = tagging.map { $0.finish() }
    return outcome
  }

  private func adopt(
    _ subject: MoveSubject, _ tagging: inout TagRun?, _ outcome: inout AdoptOutcome
  ) throws {
    let account = subject.account
    let policy = MaildirPolicy(account.sync)
    if tagging != nil, policy.keywords == .none {
      throw MovingError.keywordsOff(account: account.name)
    }
    let path = root + "/" + account.name
    let past = TreePast(root: root, account: account.name)
    try past.checkMount()
    var subject = subject
    subject.tree.mapping.said = request.mappings + subject.tree.mapping.said
    // Before anything is made: a tree that is not there makes none of ours.
    let found = try subject.tree.folders(besides: accounts.map { root + "/" + $0.name })
    guard !found.folders.isEmpty else { throw MovingError.noMail(subject.tree.path) }
    if request.isDryRun {
      let tree = try AccountTree.forReading(path: path)
      try adopt(subject, found, tree, policy, &tagging, &outcome)
    } else {
      _ = try plan(subject, found, .forReading(path: path), policy)
      let tree = try AccountTree.open(path: path, create: true)
      past.remember()
      let lock = try tree.lock(program: "mirror adopt", since: Date().formatted(.iso8601))
      defer { withExtendedLifetime(lock) {} }
      try tree.checkWritable()
      try adopt(subject, found, tree, policy, &tagging, &outcome)
    }
  }

  private func adopt(
    _ subject: MoveSubject, _ found: PeerTree.Found, _ tree: AccountTree, _ policy: MaildirPolicy,
    _ tagging: inout TagRun?, _ outcome: inout AdoptOutcome
  ) throws {
    let plan = try plan(subject, found, tree, policy)
    let moves = plan.folders.contains { !$0.stays }
    let record = AdoptionLine(subject.tree).text
    let wasTaken = try moves && tree.adopted().contains(record)
    if moves, !wasTaken {
      if try TreeAdoption.wasPulled(tree) {
        throw MovingError.alreadyPulled(account: subject.account.name, directory: tree.path)
      }
      if !request.isDryRun { try TreeAdoption.expectMail(in: tree, durable: policy.fsync) }
    }
    var run = MoveRun(
      plan, source: subject.tree.path, into: tree, policy: policy, copies: request.copies,
      wasTaken: wasTaken, isRehearsal: request.isDryRun, isStopped: isStopped)
    let report = try run.take()
    outcome.moves.append(report)
    // What failed is tried again by the next run.
    if moves, !request.isDryRun, report.exitStatus == .done {
      try tree.noteAdopted(record, fsync: policy.fsync)
    }
    if tagging != nil { try mark(plan, tree, policy, wasTaken, &tagging) }
  }

  private func plan(
    _ subject: MoveSubject, _ found: PeerTree.Found, _ tree: AccountTree, _ policy: MaildirPolicy
  ) throws -> MovePlan {
    return try MovePlan(
      subject, found, home: PeerTree.resolved(tree.path), layout: tree.layout(policy),
      isOurs: try tree.isControlled && TreeAdoption.wasPulled(tree))
  }

  /// In a dry run the files still lie in the other tree.
  private func mark(
    _ plan: MovePlan, _ tree: AccountTree, _ policy: MaildirPolicy, _ wasTaken: Bool,
    _ tagging: inout TagRun?
  ) throws {
    for folder in plan.folders {
      let isElsewhere = request.isDryRun && !folder.stays && !wasTaken
      if isElsewhere || folder.stays {
        let open = try MailTree.open(folder.source.path, root: folder.source.root)
        try tagging?.mark(open, mailbox: folder.mailbox.text, policy: policy)
      } else if try MaildirFolder.exists(folder.target, in: tree) {
        let open = try MaildirFolder.open(folder.target, in: tree)
        try tagging?.mark(open, mailbox: folder.mailbox.text, policy: policy)
      }
    }
  }
}

/// How `.mirror/adopted` names a tree: its inode, then its path.
private struct AdoptionLine {
  let text: String

  init(_ tree: PeerTree) {
    let path = PeerTree.resolved(tree.path)
    let facts = try? FileManager.default.attributesOfItem(atPath: path)
    let inode = (facts?[.systemFileNumber] as? NSNumber)?.uint64Value ?? 0
    text = "\(inode) \(path) \(tree.server?.user ?? "")".replacing("\n", with: " ")
  }
}
