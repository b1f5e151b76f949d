import Ledger
import MailCore
import Maildir
import State

/// While the tree is matched anew: messages whose files are not in the mailbox's folder, and may lie in others
/// (``StrayFiles``). They are neither fetched nor forgotten before all mailboxes were matched with their own folders.
struct StrayMessages {
  private let mailbox: PulledMailbox
  /// Of messages that are still to come.
  private var files: [UID: [StrayFile]] = [:]
  /// Of messages that have records.
  private var names: Set<NameHash> = []
  private var isResolved = false

  init(_ mailbox: PulledMailbox) { self.mailbox = mailbox }

  var isEmpty: Bool { files.isEmpty && names.isEmpty }

  mutating func add(_ names: Set<NameHash>) { self.names.formUnion(names) }

  /// Takes those of the messages out that may have such files, unless that is known by now.
  mutating func hold(_ remaining: inout UIDSet, _ strays: [UID: [StrayFile]]) {
    let held = strays.filter { remaining.contains($0.key) }
    guard !held.isEmpty, !isResolved else { return }
    files.merge(held) { $1 }
    remaining = remaining.subtracting(UIDSet(held.keys.sorted()))
  }

  /// The mailbox was matched with its own folder.
  func awaitOthers() {
    mailbox.context.strays.add(
      names.union(files.values.joined().map { NameHash(of: $0.file.base) }), of: mailbox.id)
  }

  /// What became of them when all others were matched, too.
  struct Outcome {
    /// To be matched with these files.
    var files: [UID: StrayFile] = [:]
    /// To be fetched, unless they match.
    var missing = UIDSet()
    /// Some have to wait for a mailbox that could not be looked into: the next run matches this one once more.
    var awaitsOthers = false
  }

  mutating func resolve() throws -> Outcome {
    var outcome = Outcome()
    for (uid, places) in files {
      guard let name = places.first.map({ NameHash(of: $0.file.base) }) else { continue }
      switch try claim(name) {
      case .at(let folder):
        outcome.files[uid] = places.first { $0.folder == folder }
        outcome.missing.insert(uid)
      case .undecided: outcome.awaitsOthers = true
      case .nowhere: outcome.missing.insert(uid)
      }
    }
    if !names.isEmpty {
      let left = try RestoredTree(mailbox: mailbox).forgetMissing { try claim(NameHash(of: $0)) }
      outcome.missing = outcome.missing.union(left.forgotten)
      if !left.undecided.isEmpty { outcome.awaitsOthers = true }
    }
    (files, names, isResolved) = ([:], [], true)
    return outcome
  }
  private func claim(_ name: NameHash) throws -> StrayFiles.Place {
    let context = mailbox.context
    return try context.strays.claim(
      name, for: mailbox.id, missesMailboxes: context.missesMailboxes)
  }
}
