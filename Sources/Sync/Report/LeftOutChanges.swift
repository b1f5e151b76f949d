import Ledger
import LocalChanges
import MailCore
import Maildir
import Settings
import State
import SyncPlan

/// What was done in folders of mailboxes that the configuration leaves out by now: no push carries it out, and no revert
/// gives it up.
struct LeftOutChanges {
  /// Those that the state knows, on the server as far as is known.
  let mailboxes: [MailboxRecord]
  /// Held against the state as for a push; nothing is concluded from a folder that is gone as a whole.
  private(set) var changes = TreeChanges()

  /// - Parameters:
  ///   - all: as the state has them.
  ///   - known: what a push would find: files that were moved here from mirrored mailboxes are told there.
  ///   - comparesAll: looks at each file, also where its directory did not change.
  init(
    _ all: [MailboxRecord], besides known: TreeChanges, _ folders: FolderPatterns,
    tree: AccountTree,
    state: StateStore, policy: MaildirPolicy, comparesAll: Bool,
    checkInterrupt: @escaping () throws -> Void = {}
  ) throws {
    mailboxes = all.filter {
      !$0.isGone && !$0.isNew && !$0.keepsNothing && !folders.matches($0.mailboxName)
    }
    let matched = mailboxes.filter { $0.uidValidity != 0 && !$0.needsAdoption }
    guard !matched.isEmpty else { return }
    changes = try ChangeFinder(
      tree: tree, policy: policy, state: state, mailboxes: matched,
      homes: all.filter { !$0.isGone }.map(\.folder), comparesAll: comparesAll,
      checkInterrupt: checkInterrupt
    ).find()
    let moved = Set(known.moved.map { Place(folder: $0.file.folder, file: $0.file.file) })
    changes.new.removeAll { moved.contains(Place(folder: $0.folder, file: $0.file)) }
    let lost = Set(changes.goneFolders)
    changes.gone.removeAll { lost.contains($0.mailbox) }
    changes.renamed.removeAll { $0.file.marks == $0.record.agreed }
  }

  private struct Place: Hashable {
    var folder: FolderPath
    var file: MessageFile
  }

  func count(_ mailbox: MailboxKey) -> Int {
    let own = changes
    return own.marks.count { $0.mailbox == mailbox } + own.moved.count { $0.from == mailbox }
      + own.renamed.count { $0.from == mailbox } + own.edited.count { $0.mailbox == mailbox }
      + own.gone.count { $0.mailbox == mailbox }
      + (own.new + own.twins).count { $0.mailbox == mailbox }
  }

  /// For people: what waits in each of them.
  ///
  /// - Parameter isMeant: whether a mailbox is to be told of.
  func problems(where isMeant: (MailboxRecord) -> Bool = { _ in true }) -> [RunProblem] {
    mailboxes.filter(isMeant).compactMap { record in
      let count = count(record.id)
      var words: [String] = []
      if count > 0 { words.append(Quantities.count(count, "change") + " here") }
      if record.isDirty { words.append("what the next pull was to bring") }
      guard !words.isEmpty else { return nil }
      let waits = count > 1 || words.count > 1 ? "wait" : "waits"
      return RunProblem(
        mailbox: record.name,
        problem:
          "The configuration leaves this mailbox out: \(words.joined(separator: ", and ")) \(waits).",
        remedy: Self.remedy)
    }
  }

  static let remedy =
    "Mirror it again (`folders` in the configuration) and run `mirror pull`; then push, or give the changes up with "
    + "`mirror revert`."
}

extension PushSurvey {
  /// - Parameter tree: as it was surveyed.
  func leftOut(
    _ account: AccountSettings, _ tree: AccountTree, _ state: StateStore, comparesAll: Bool,
    checkInterrupt: @escaping () throws -> Void = {}
  ) throws -> LeftOutChanges {
    try LeftOutChanges(
      mailboxes, besides: changes, account.sync.folders, tree: tree, state: state,
      policy: MaildirPolicy(account.sync), comparesAll: comparesAll, checkInterrupt: checkInterrupt)
  }
}
