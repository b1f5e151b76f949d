import Foundation
import LocalChanges
import MailCore
import Maildir
import Settings
import Sync
import SyncPlan
import Synchronization
import TreeWatch

/// The directory of an account that is watched: whether it is there, and what others brought into it.
final class WatchedTree: Sendable {
  let path: String
  private let settings: AccountSettings
  private let root: String
  private let witness: TreeWitness
  private let seen: Mutex<Seen>

  private struct Seen {
    var wasThere = false
    var draftsFolder: FolderPath?
  }

  init(_ settings: AccountSettings, root: String) {
    (self.settings, self.root) = (settings, root)
    path = root + "/" + settings.name
    witness = TreeWitness(
      accountPath: path, environment: ProcessInfo.processInfo.environment)
    seen = Mutex(Seen())
    look()
  }

  /// Remembers that the tree is there, and where drafts lie.
  func look() {
    let (exists, drafts) = (exists, findDrafts())
    seen.withLock { seen in
      if exists { seen.wasThere = true }
      if drafts != nil { seen.draftsFolder = drafts }
    }
  }

  /// An account that only sends has no more than this.
  private var hasDirectory: Bool { FileManager.default.fileExists(atPath: path + "/.mirror") }

  /// With its state: what is queued where a tree was moved away makes a directory anew, and no tree.
  private var exists: Bool {
    ["state.db", "state.backup.db"].contains {
      FileManager.default.fileExists(atPath: path + "/.mirror/" + $0)
    }
  }

  /// Nil before the first pull has made it.
  var watched: WatchedAccount? {
    guard hasDirectory || seen.withLock({ $0.wasThere }) || witness.knowsRuns else {
      return nil
    }
    return WatchedAccount(
      name: settings.name, path: path, layout: MaildirPolicy(settings.sync).layout)
  }

  /// One that runs have kept is not made anew by a watch: who moved it away may bring it back.
  var isThere: Bool {
    guard (try? witness.checkMount(path: path, root: root)) != nil else { return false }
    if seen.withLock({ $0.wasThere }) { return exists }
    return hasDirectory || !witness.knowsRuns
  }

  func holdsDrafts(_ folder: FolderPath) -> Bool { seen.withLock { $0.draftsFolder } == folder }

  private func findDrafts() -> FolderPath? {
    TreeFolders.mailbox(for: .drafts, account: path)?.folder
  }

  /// What runs beside the watch's brought since it was asked last; nil where that is nothing.
  func othersArrivals() -> PullSummary? {
    let arrivals = witness.takeArrivals()
    guard !arrivals.isEmpty else { return nil }
    var summary = PullSummary(account: settings.name)
    summary.mailboxes = arrivals.map { mailbox, uids in
      var outcome = MailboxOutcome(mailbox: mailbox)
      outcome.arrived = uids
      return outcome
    }
    return summary
  }
}
