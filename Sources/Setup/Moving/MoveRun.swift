import Foundation
import MailCore
import Maildir

/// Carries a plan out: hard links, or copies, of whole folders. Call it under the account's lock.
package struct MoveRun {
  let plan: MovePlan
  let tree: AccountTree
  let policy: MaildirPolicy
  let copies: Bool
  let isRehearsal: Bool
  let isStopped: @Sendable () -> Bool
  private var report: MoveReport

  /// - Parameters:
  ///   - source: the peer's tree, for the report.
  ///   - wasTaken: by an earlier run; then nothing is taken.
  ///   - isRehearsal: changes nothing.
  ///   - isStopped: asked for each file.
  package init(
    _ plan: MovePlan, source: String, into tree: AccountTree, policy: MaildirPolicy, copies: Bool,
    wasTaken: Bool, isRehearsal: Bool, isStopped: @escaping @Sendable () -> Bool
  ) {
    self.plan = plan
    self.tree = tree
    self.policy = policy
    self.copies = copies
    self.isRehearsal = isRehearsal
    self.isStopped = isStopped
    let moves = plan.folders.contains { !$0.stays }
    report = MoveReport(
      account: plan.account, source: source, target: plan.home,
      mode: wasTaken ? .before : !moves ? .inPlace : copies ? .copied : .linked,
      isDryRun: isRehearsal)
    report.leftOut = plan.leftOut
  }

  /// - Throws: ``MovingError``, or what stops everything, such as a full disk. What was taken by then stays.
  package mutating func take() throws -> MoveReport {
    if report.mode == .linked { try checkFileSystems() }
    for folder in plan.folders {
      do {
        try take(folder)
      } catch let error as MaildirError where !error.stopsRun {
        leave(folder.source.directory, error.explanation.problem)
      }
    }
    return report
  }

  private mutating func take(_ folder: MovePlan.Folder) throws {
    let source = try MailTree.open(folder.source.path, root: folder.source.root)
    var files: [MessageFile] = []
    try FolderScan.forEachFile(in: source) { files.append($0) }
    var told = MoveReport.Folder(
      directory: folder.source.directory, mailbox: folder.mailbox.text, messages: files.count)
    defer { report.folders.append(told) }
    if folder.stays || report.mode == .before { return }
    var taking = try FolderTaking(
      into: target(folder), copies: copies, isRehearsal: isRehearsal, policy: policy)
    defer { try? taking.finish() }
    for file in files {
      if isStopped() { throw MovingError.interrupted }
      switch try taking.take(file, from: source) {
      case .linked, .copied: told.taken += 1
      case .present: told.present += 1
      case .leftOut(let reason):
        leave("\(folder.source.directory)/\(file.description)", reason)
      case .otherFileSystem:
        throw MovingError.otherFileSystem(from: folder.source.directory, to: plan.home)
      }
    }
    try taking.finish()
  }

  private func target(_ folder: MovePlan.Folder) throws -> MaildirFolder {
    if isRehearsal {
      return try MaildirFolder.exists(folder.target, in: tree)
        ? MaildirFolder.open(folder.target, in: tree)
        : MaildirFolder.absent(folder.target, in: tree)
    }
    return try MaildirFolder.create(
      folder.target, in: tree,
      sideName: tree.layout(policy).needsSideName(folder.target) ? folder.mailbox.text : nil,
      fsync: policy.fsync)
  }

  /// Before anything is linked, and in a dry run too.
  private func checkFileSystems() throws(MovingError) {
    let home = Self.device(nearest: plan.home)
    for folder in plan.folders where !folder.stays {
      let cur = folder.source.directory + "/cur"
      if let home, let device = Self.device(nearest: cur), device != home {
        throw .otherFileSystem(from: folder.source.directory, to: plan.home)
      }
    }
  }

  /// The file system of the path, or of what exists of the way to it.
  private static func device(nearest path: String) -> UInt64? {
    var path = path
    while true {
      if let facts = try? FileManager.default.attributesOfItem(atPath: path) {
        return (facts[.systemNumber] as? NSNumber)?.uint64Value
      }
      guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return nil }
      path = String(path[..<slash])
    }
  }

  private mutating func leave(_ subject: String, _ reason: String) {
    report.leftOut.append(MovePlan.LeftOut(subject, reason))
  }
}
