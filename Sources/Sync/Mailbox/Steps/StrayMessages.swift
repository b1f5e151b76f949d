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

  /// Those that are still to come.
  var messages: UIDSet { UIDSet(files.keys.sorted()) }

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
      names.union(files.values.joined().map { NameHash(of: $0.file.base) }), messages,
      of: mailbox.id)
  }

  /// The mailbox could not be matched: they wait for another run.
  mutating func letGo() { (files, names, isResolved) = ([:], [], true) }

  /// What became of them when all others were matched, too.
  struct Outcome {
    /// To be matched with these files.
    var files: [UID: StrayFile] = [:]
    /// To be fetched, unless they match.
    var missing = UIDSet()
    /// So many have to wait for a mailbox that could not be looked into: the next run matches this one once more.
    var undecided = 0
  }

  mutating func resolve() throws -> Outcome {
    var outcome = Outcome()
    for (uid, places) in files {
      guard let name = places.first.map({ NameHash(of: $0.file.base) }) else { continue }
      switch try claim(name) {
      case .at(let file):
        outcome.files[uid] = file
        outcome.missing.insert(uid)
      case .undecided: outcome.undecided += 1
      case .nowhere: outcome.missing.insert(uid)
      }
    }
    if !names.isEmpty {
      // What a person moved or deleted since the mailbox was matched is a change like any other.
      let left = try RestoredTree(mailbox: mailbox).forgetMissing(among: names) {
        try claim(NameHash(of: $0))
      }
      outcome.missing = outcome.missing.union(left.forgotten)
      outcome.undecided += left.undecided.count
    }
    letGo()
    return outcome
  }
  private func claim(_ name: NameHash) throws -> StrayFiles.Place {
    let context = mailbox.context
    return try context.strays.claim(
      name, for: mailbox.record, missesMailboxes: context.missesMailboxes)
  }
}
