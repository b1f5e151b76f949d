import CLISupport
import Foundation
import MailCore
import Maildir
import Settings
import Setup
import Sync

/// `mirror adopt`: which trees are meant, whose they are, and each account's share of the work under its lock.
struct AdoptRun: Sendable {
  let session: MirrorSession
  let request: AdoptRequest

  private var report: Report { session.report }
  private var accounts: [AccountSettings] { session.configuration.accounts }

  func run() async throws {
    let found = try await subjects()
    for left in found.leftOut {
      report.notice(left.tree.path, left.error.explanation.problem)
    }
    let adopting = AccountAdoption(
      request: request, root: session.configuration.root, accounts: accounts)
    let subjects = found.subjects
    let result = await onOwnThread { () -> Result<AdoptOutcome, any Error> in
      do { return .success(try adopting.run(subjects)) } catch { return .failure(error) }
    }
    try tell(try result.get())
  }

  /// What the other program's configuration tells, held against ours.
  private func subjects() async throws -> MoveSubjects {
    var directory = request.directory
    var configured: [PeerTree] = []
    switch request.tool {
    case .mbsync, .offlineimap:
      configured = try PeerConfiguration(
        request.tool, file: request.theirConfig,
        environment: ProcessInfo.processInfo.environment
      ).trees
    case .notmuch, .mu:
      if directory == nil {
        directory = await PeerPrograms.root(of: request.tool, file: request.theirConfig)
      }
      guard directory != nil else { throw MovingError.directoryNeeded(request.tool) }
      // Another program brought the mail, and may still say how it lies.
      for tool in [PeerTool.mbsync, .offlineimap] {
        let other = try? PeerConfiguration(
          tool, file: nil, environment: ProcessInfo.processInfo.environment)
        configured += other?.trees ?? []
      }
    }
    let subjects = try MoveSubjects(
      request.tool, configured: configured, directory: directory, account: request.account,
      accounts: accounts)
    if subjects.isGuessed {
      report.detail(1, "No configuration tells of this tree: its layout is guessed.")
    }
    for subject in subjects.subjects {
      for remark in subject.tree.remarks { report.notice(subject.tree.path, remark) }
    }
    return subjects
  }

  // MARK: What came of it

  private func tell(_ outcome: AdoptOutcome) throws {
    var statuses: [Int32] = []
    for move in outcome.moves {
      for line in AdoptText.lines(move, isVerbose: report.verbosity > 0 || request.isDryRun) {
        report.line(line)
      }
      for left in move.leftOut {
        if left.isProblem {
          report.problem(left.subject, left.reason)
        } else {
          report.notice(left.subject, left.reason)
        }
      }
      if move.mode == .linked || move.mode == .copied, isBelowRoot(move.source) {
        report.notice(
          move.source,
          "It lies below the root: searches show its mail twice until it is moved away.")
      }
      statuses.append(move.exitStatus.rawValue)
    }
    if let tags = outcome.tags {
      for line in AdoptText.lines(tags, isDryRun: request.isDryRun) { report.line(line) }
      for failure in tags.failed { report.problem(failure.subject, failure.reason) }
      statuses.append(tags.exitStatus.rawValue)
    }
    for failure in outcome.failures {
      report.problem(failure)
      statuses.append(failure.explanation.exitStatus.rawValue)
    }
    if !request.isDryRun, !outcome.moves.isEmpty {
      report.line(AdoptText.next(outcome))
    }
    let document = AdoptDocument(outcome)
    try report.record(document)
    try report.document(document)
    try session.end(with: statuses)
  }
}

extension AdoptRun {
  private func isBelowRoot(_ path: String) -> Bool {
    let root = PeerTree.resolved(session.configuration.root)
    let path = PeerTree.resolved(path)
    return path == root || path.hasPrefix(root + "/")
  }
}

/// All that a run did, as JSON shows it.
private struct AdoptDocument: Encodable {
  var accounts: [MoveReport]
  var tags: TagReport?

  init(_ outcome: AdoptOutcome) {
    accounts = outcome.moves
    tags = outcome.tags
  }
}
