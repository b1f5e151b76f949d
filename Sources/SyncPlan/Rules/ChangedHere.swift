import Ledger
import MailCore
import Maildir

/// What becomes of a change that was made here.
enum Sending: Sendable, Equatable {
  case send
  /// The message that it repeats is moved first.
  case sendAfterMove
  /// It needs nothing of its own.
  case leave
  /// No server can do it: it stays on this side, and is reported.
  case keepHere
  case wait(PushPlan.WaitingChanges.Reason)
  /// Counted with the mailbox that a message is moved to.
  case waitAtTarget(PushPlan.WaitingChanges.Reason)
}

/// A change to a message that the ledger has.
struct ChangedHere {
  let situation: PushSituation
  let mailbox: MailboxKey
  let record: MessageRecord
  /// What the mailbox may have refused; nil where a refusal is told in another way.
  var subject: RefusalSubject?

  private var key: MessageKey { MessageKey(mailbox: mailbox, uid: record.uid) }

  var takesNoChanges: Bool { situation.closed.contains(mailbox) }
  var refusesThisChange: Bool {
    subject.map { situation.denied[mailbox]?.contains($0) == true } ?? false
  }
  var mayBeDone: Bool { situation.busy.contains(key) }
  var isSetAside: Bool { record.traits.contains(.beingReverted) }
  var hasLostIt: Bool { situation.lost.contains(key) }
  var showsItNoLonger: Bool { record.traits.contains(.outOfView) }
}

/// A message whose file lies in another folder now.
struct MovedHere {
  let situation: PushSituation
  let move: MovedMessage
  let folders: PlannedFolders

  var change: ChangedHere {
    ChangedHere(situation: situation, mailbox: move.from, record: move.record)
  }
  var folder: FolderPath { move.file.folder }
  private var owners: [MailboxRecord] { situation.mailboxes.filter { $0.folder == folder } }
  private func ofTarget(_ holds: (MailboxKey) -> Bool) -> Bool {
    move.file.mailbox.map(holds) ?? false
  }

  var isOutOfUnmirrored: Bool { situation.unmirrored.contains(move.from) }
  var isInRenamedFolder: Bool { folders.renamed.contains(folder) }
  var targetTakesNoChanges: Bool { ofTarget(situation.closed.contains) }
  var refusesThisTarget: Bool {
    ofTarget { situation.denied[move.from]?.contains(.moves(to: $0)) == true }
  }
  var isTargetHalfPulled: Bool { ofTarget { situation.record($0)?.isSettled == false } }
  var isInFolderWithMailbox: Bool {
    move.file.mailbox != nil || folders.created.contains(folder)
  }
  var refusesFolderName: Bool { folders.refused.contains(folder) }
  var isInFolderToBeMatched: Bool { owners.contains(where: \.needsAdoption) }
  var hasLostFolder: Bool { owners.contains(where: \.isGone) }
}

/// A message that has no file here any more.
struct MissingHere {
  let change: ChangedHere

  /// With the message the last whole one would go.
  var reasonToKeep: PushPlan.WaitingChanges.Reason? {
    change.situation.unsent.reason(toKeep: change.record)
  }
  var mayBeLastWhole: Bool { reasonToKeep != nil }

  /// A pull would have let go of the file by now, as it never does of one that is flagged, that differs, or that a person
  /// asked for; but of a mailbox that keeps nothing, or is not mirrored any more, whatever lies there.
  var isOutsideWindow: Bool {
    if change.situation.record(change.mailbox)?.keepsNothing == true
      || change.situation.unmirrored.contains(change.mailbox)
    {
      return true
    }
    guard let start = change.situation.windowStart else { return false }
    return change.record.internalDate < start && !change.record.agreed.flags.contains(.flagged)
      && change.record.traits.isDisjoint(with: [.expunged, .differs, .outOfView, .kept])
  }
}

/// What a plan does with folders.
struct PlannedFolders {
  let renamed: Set<FolderPath>
  let created: Set<FolderPath>
  /// The server takes no mailbox of their names.
  let refused: Set<FolderPath>
}

/// A message whose file holds another text now.
struct EditedHere {
  let change: ChangedHere
  let edit: EditedMessage
  let isInDrafts: Bool

  /// The file lacks parts of the message, or did before it was edited.
  var isStub: Bool { edit.record.isStub || edit.file.digest.isStub }
  var isDraft: Bool {
    isInDrafts || edit.file.marks.flags.contains(.draft)
      || edit.record.agreed.flags.contains(.draft)
  }
}

/// A message with other flags or keywords than were agreed.
struct MarkedHere {
  let change: ChangedHere
  let delta: MarkDelta
  /// Its file is a draft that was edited, and is sent anew.
  let isReplaced: Bool

  var keepsNone: Bool {
    delta.without(change.situation.unkeepable[change.mailbox] ?? UnkeepableMarks()).isEmpty
  }
}
