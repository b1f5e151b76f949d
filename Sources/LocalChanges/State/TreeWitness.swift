import Foundation
import MailCore
import Maildir
import SyncPlan

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What this machine remembers of a tree outside the tree, so that a restore of tree and state together is noticed,
/// and an unmounted disk does not pass for an empty tree. One small file per tree; without it nothing is noticed.
package struct TreeWitness: Sendable {
  package struct Record: Codable, Equatable {
    /// As many as the state counted.
    package var runs: Int64
    /// File system of the account directory's parent.
    package var device: UInt64
    /// Of the account directory itself: it may be a mount point.
    var accountDevice: UInt64?

    package init(runs: Int64, device: UInt64, accountDevice: UInt64? = nil) {
      self.runs = runs
      self.device = device
      self.accountDevice = accountDevice
    }
  }

  private let path: String?

  /// A file beside the record, of the same tree; nil without a home directory.
  package func place(_ suffix: String) -> String? {
    path.map { ($0 as NSString).deletingPathExtension + "." + suffix }
  }

  /// - Parameter accountPath: absolute.
  package init(accountPath: String, environment: [String: String]) {
    let base =
      environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.local/state" : nil }
    let name = String(XXH3.hash(Array(accountPath.utf8)), radix: 16)
    path = base.map { "\($0)/mirror/trees/\(name).json" }
  }

  package func read() -> Record? {
    guard let path, let data = FileManager.default.contents(atPath: path) else { return nil }
    return try? JSONDecoder().decode(Record.self, from: data)
  }

  /// A failure to write is no reason to fail a run: the tree itself is whole.
  package func write(_ record: Record) {
    guard let path, read() != record, let data = try? JSONEncoder().encode(record) else { return }
    let directory = (path as NSString).deletingLastPathComponent
    try? FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try? data.write(to: URL(fileURLWithPath: path), options: .atomic)
  }

  /// Nothing is remembered of the tree any more: it was given up.
  package func forget() {
    for suffix in ["json", "watch", "verify", "arrived", "beside"] {
      if let path = place(suffix) { unlink(path) }
    }
  }

  /// Remembers where a tree lies that no run has seen yet: who only queues and sends mail has none.
  package func begin(accountPath: String, root: String) {
    guard path != nil, read() == nil, let device = Self.device(of: root) else { return }
    write(Record(runs: 0, device: device, accountDevice: Self.device(of: accountPath)))
  }

  /// The file system of `path`, or of what exists of the way to it.
  package static func device(nearest path: String) -> UInt64? {
    var path = path
    while true {
      if let device = device(of: path) { return device }
      let parent = (path as NSString).deletingLastPathComponent
      if parent == path || parent.isEmpty { return nil }
      path = parent
    }
  }

  /// The file system that holds `path`.
  package static func device(of path: String) -> UInt64? {
    let facts = try? FileManager.default.attributesOfItem(atPath: path)
    return (facts?[.systemNumber] as? NSNumber)?.uint64Value
  }

  /// Whether runs have kept a tree here.
  package var knowsRuns: Bool { (read()?.runs ?? 0) > 0 }

  /// An account's directory that is gone, with its state, is no account that was never pulled; nor are folders without
  /// one, which came back from somewhere.
  ///
  /// - Parameter path: the account's directory.
  /// - Throws: ``PushError/vanished(path:)`` where runs have kept a tree, and neither a folder nor a state is left of it;
  ///   ``PushError/stateLost`` where there are folders, or the state's backup, and no state.
  package func checkTree(path: String) throws(PushError) {
    let files = FileManager.default
    guard !files.fileExists(atPath: path + "/.mirror/state.db") else { return }
    if files.fileExists(atPath: path + "/.mirror/state.backup.db") || Self.holdsFolders(path) {
      throw .stateLost
    }
    let names = (try? files.contentsOfDirectory(atPath: path)) ?? []
    if knowsRuns, !names.contains(where: { $0 != ".mirror" }) { throw .vanished(path: path) }
  }

  private static func holdsFolders(_ path: String) -> Bool {
    guard let tree = try? AccountTree.forReading(path: path) else { return false }
    return LayoutStyle.allCases.contains { (try? tree.folders($0).isEmpty) == false }
  }

  /// Where an account is being removed, its place is held by a directory in which `.mirror` is a file.
  ///
  /// - Throws: `SyncError.forgetUnfinished`.
  package static func checkForgotten(path: String) throws(SyncError) {
    var status = stat()
    if lstat(path + "/.mirror", &status) == 0, status.st_mode & S_IFMT == S_IFREG {
      throw .forgetUnfinished(path: path)
    }
  }

  /// An empty mount point must not pass for a tree that lost everything, nor the place of one that is being removed for one
  /// that is to be made.
  ///
  /// - Parameters:
  ///   - path: the account's directory.
  ///   - root: the tree's.
  package func checkMount(path: String, root: String) throws(SyncError) {
    try Self.checkForgotten(path: path)
    guard let seen = read() else { return }
    let isGone: Bool
    if FileManager.default.fileExists(atPath: path) {
      // The bare directory that a disk was mounted on.
      isGone =
        seen.accountDevice != nil && Self.device(of: path) != seen.accountDevice
        && (try? FileManager.default.contentsOfDirectory(atPath: path).isEmpty) == true
    } else {
      isGone = Self.device(nearest: root) != seen.device
    }
    if isGone { throw .treeVanished(path: path) }
  }
}
