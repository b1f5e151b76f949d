import Foundation
import MailCore
import Setup
import Sorting

/// What removes an account. Wherever it is cut off, another call goes on, and no run in between takes a half-removed tree
/// for one in which a person deleted mail: the tree leaves its place whole, or loses its state first.
struct AccountRemoval: Sendable {
  enum Step: CaseIterable {
    /// The tree goes out of its place, and with it the queue.
    case setAside
    /// Whatever this machine keeps beside the tree: tokens, refused log-ins, what it remembers of the tree.
    case forgetSecrets
    case configuration
    case tree
  }

  let root: String
  let account: String
  /// Nil where the account is in no configuration any more.
  let file: ConfigurationFile?
  /// What this machine keeps beside the tree, and goes.
  let forgetSecrets: @Sendable () -> Void

  private var place: String { root + "/" + account }
  private var limbo: String { root + "/.mirror/forgotten" }
  /// Where the tree lies until it is removed: no run and no index looks there.
  var aside: String { limbo + "/" + account }

  /// A removal was cut off.
  var isUnfinished: Bool { FileManager.default.fileExists(atPath: aside) }

  func perform(_ step: Step) throws {
    switch step {
    case .setAside: try setAside()
    case .forgetSecrets: forgetSecrets()
    case .configuration:
      guard let file, file.accounts.contains(account) else { return }
      try file.overwrite(file.text(without: account))
      try UndoFile(root: root).forget(account: account)
    case .tree:
      try removeIfThere(aside)
      _ = rmdir(limbo)
    }
  }

  private func setAside() throws {
    // What an earlier call left, of an account that had the same name.
    try removeIfThere(aside)
    guard isThere(place) else { return }
    do {
      try FileManager.default.createDirectory(
        atPath: limbo, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw RemovalError(limbo, error)
    }
    if !isLink(place), rename(place, aside) == 0 { return }
    // A link, or a disk of its own: it is emptied where it is.
    let target = (try? FileManager.default.destinationOfSymbolicLink(atPath: place)) ?? place
    let directory = target.hasPrefix("/") ? target : root + "/" + target
    for name in ["state.db", "state.backup.db"] {
      try removeIfThere(directory + "/.mirror/" + name)
    }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    for name in names { try removeIfThere(directory + "/" + name) }
    if isLink(place) { unlink(place) }
    rmdir(directory)
  }

  private func removeIfThere(_ path: String) throws {
    guard isThere(path) || isLink(path) else { return }
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      throw RemovalError(path, error)
    }
  }

  private func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  private func isLink(_ path: String) -> Bool {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
  }
}

/// A part of an account's tree cannot be removed.
struct RemovalError: Error, Explained {
  let path: String
  let reason: String

  init(_ path: String, _ error: any Error) {
    self.path = path
    reason = (error as NSError).localizedFailureReason ?? error.localizedDescription
  }

  var explanation: Explanation {
    Explanation(
      problem: "\(path.visible) cannot be removed: \(reason.visible).",
      remedy: "Look at its owner and mode, then run `mirror forget` again.", exitStatus: .refused)
  }
}
