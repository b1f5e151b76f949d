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

  /// Where the person put it under this name, else where the move of the one above takes it.
  package func place(
    of other: MailboxRecord, called name: String, from old: FolderPath, to new: FolderPath
  ) -> FolderPath? {
    if let own = renames.first(where: { $0.mailbox == other.id }) {
      return own.name.utf8.elementsEqual(name.utf8) ? own.folder : nil
    }
    return movedPlace(of: other, from: old, to: new)
  }

  /// Where the move of the folder above takes it.
  func movedPlace(of other: MailboxRecord, from old: FolderPath, to new: FolderPath)
    -> FolderPath?
  {
    BranchMove(old: old.text, new: new.text, separator: layout.separator)
      .name(below: other.folder).flatMap { FolderPath(text: $0) }
  }

  /// - Parameter place: not where it is now.
  package func assign(
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
    // If the server gives this very name away, the mailbox that had it turns out to be gone.
    if let holder, holder.name != change.name { return }
    // What lies at its old place and is no folder now, such as an empty mount point, stays its own. With nothing there it
    // moves, too: what is made there later belongs to another.
    guard try isLeft || !isTaken(home) else { return }
    change.folder = place.text
    change.isToMove = isLeft && !haveOwnName(other)
  }

  private func haveOwnName(_ record: MailboxRecord) -> Bool {
    renames.contains { $0.mailbox == record.id }
  }
}
