import Ledger
import LocalChanges
import MailCore
import Maildir

/// Brings what the server says of messages' flags and keywords to their files: to those in their mailbox's folder, and to
/// those that a person moved to another one, and did not push yet.
struct MarkDelivery {
  struct Change {
    var record: MessageRecord
    /// What the server says.
    var remote: MessageMarks
  }

  struct Outcome {
    /// Records of what was brought, as they are to be kept.
    var applied: [MessageRecord] = []
    /// Of files that are nowhere: the record remembers what the server said.
    var absent: [MessageRecord] = []
    /// How many files were touched.
    var touched = 0
  }

  let context: AccountContext
  /// The mailbox's folder.
  let home: LocalFolder

  func bring(_ changes: [Change]) throws -> Outcome {
    var outcome = Outcome()
    let left = try bring(changes, in: home, &outcome)
    guard !left.isEmpty else { return outcome }
    let places = try context.folders.places(
      ofFiles: Set(left.map { NameHash(of: $0.record.name) }), except: home.path)
    let moved = Dictionary(grouping: left) { change in
      // What stands for keywords in a name means others elsewhere, until a push has moved the message there, too.
      context.policy.keywords.keepsLetters(for: change.remote, change.record)
        ? nil : places[NameHash(of: change.record.name)]
    }
    for (path, changes) in moved {
      let nowhere =
        try path.map { try bring(changes, in: context.folders.local(at: $0), &outcome) } ?? changes
      outcome.absent += nowhere.map(\.record)
    }
    return outcome
  }

  /// Renames are on disk when this returns, before the state says so: otherwise a power cut would make the server's change
  /// look like a person's wish to undo it.
  ///
  /// - Returns: those whose files are not there.
  private func bring(_ changes: [Change], in folder: LocalFolder, _ outcome: inout Outcome) throws
    -> [Change]
  {
    var absent: [Change] = []
    var touched = 0
    for change in changes {
      switch try folder.bring(change.remote, to: change.record) {
      case .applied(let kept, let isTouched):
        outcome.applied.append(kept)
        if isTouched { touched += 1 }
      case .absent(let kept): absent.append(Change(record: kept, remote: change.remote))
      }
    }
    if touched > 0 { try folder.sync() }
    outcome.touched += touched
    return absent
  }
}
