import Ledger
import Maildir

/// Where folders of mailboxes below a renamed one belong.
package struct RenamedPlaces {
  /// Those of the plan.
  package let renames: [PushPlan.FolderRename]
  package let layout: LayoutStyle
  /// Whether a whole Maildir lies there.
  package let holds: (FolderPath) throws -> Bool
  /// Whether anything does.
  package let isTaken: (FolderPath) throws -> Bool

  package init(
    renames: [PushPlan.FolderRename], layout: LayoutStyle,
    holds: @escaping (FolderPath) throws -> Bool, isTaken: @escaping (FolderPath) throws -> Bool
  ) {
    self.renames = renames
    self.layout = layout
    self.holds = holds
    self.isTaken = isTaken
  }

  /// Where the person put it under this name, else in step with the one above.
  package func place(
    of other: MailboxRecord, called name: String, from old: FolderPath, to new: FolderPath
  ) -> FolderPath? {
    if let own = renames.first(where: { $0.mailbox == other.id }) {
      return own.name.utf8.elementsEqual(name.utf8) ? own.folder : nil
    }
    return inStep(other, from: old, to: new)
  }

  func inStep(_ other: MailboxRecord, from old: FolderPath, to new: FolderPath)
    -> FolderPath?
  {
    BranchMove(old: old.text, new: new.text, separator: layout.separator)
      .name(below: other.folder).flatMap { FolderPath(text: $0) }
  }

  /// - Parameter place: not where it is now.
  package func take(
    _ other: MailboxRecord, to place: FolderPath, among mailboxes: [MailboxRecord],
    _ change: inout MailboxRename.Change
  ) throws {
    let home = try other.folderPath()
    let isLeft = try holds(home)
    // What a mailbox had that is gone may keep its folder, too, but not another's.
    let holder = mailboxes.first {
      $0.id != other.id && $0.lies(at: place) && (isLeft || !$0.isGone)
    }
    if try holder == nil && holds(place) {
      // The person put it there; what lies at its old place, if anything does, was made since.
      change.folder = place.text
      return
    }
    // One that has the very name turns out to be gone, if the server gives it away.
    if let holder, holder.name != change.name { return }
    // What lies at its old place and is no folder now, a disk's place for one, stays its own. With nothing there it goes
    // in step, too: what is made there later is none of its.
    guard try isLeft || !isTaken(home) else { return }
    change.folder = place.text
    change.isToMove = isLeft && !haveOwnName(other)
  }

  private func haveOwnName(_ record: MailboxRecord) -> Bool {
    renames.contains { $0.mailbox == record.id }
  }
}
