import Ledger
import MailCore
import Maildir

/// Where folders of mailboxes below a renamed one belong.
package struct RenamedPlaces {
  /// Those of the plan.
  private let renames: [PushPlan.FolderRename]
  private let layout: LayoutStyle
  /// Whether a whole Maildir lies there.
  package let holds: (FolderPath) throws -> Bool
  /// Whether anything does.
  private let isTaken: (FolderPath) throws -> Bool

  package init(
    renames: [PushPlan.FolderRename], layout: LayoutStyle,
    holds: @escaping (FolderPath) throws -> Bool, isTaken: @escaping (FolderPath) throws -> Bool
  ) {
    self.renames = renames
    self.layout = layout
    self.holds = holds
    self.isTaken = isTaken
  }

  /// Where the person put it under this name, else where the move of the one above takes it: one to which the person gave
  /// another name moves with that first, or its place would be out of date.
  func place(
    of other: MailboxRecord, called name: String, from old: FolderPath, to new: FolderPath
  ) -> FolderPath? {
    let own = renames.first {
      $0.mailbox == other.id && $0.name.utf8.elementsEqual(name.utf8)
    }
    return own?.folder ?? layout.place(of: other.folder, from: old, to: new)
  }

  /// - Parameter place: not where it is now.
  func assign(
    _ other: MailboxRecord, to place: FolderPath, among mailboxes: [MailboxRecord],
    _ change: inout MailboxRename.Change
  ) throws {
    let isLeft = try holds(other.folder)
    // What a mailbox had that is gone may keep its folder, too, but not another's.
    let holder = mailboxes.first {
      $0.id != other.id && $0.folder == place && (isLeft || !$0.isGone)
    }
    if try holder == nil && holds(place) {
      // The person put it there; what lies at its old place, if anything does, was made since.
      change.folder = place
      return
    }
    // If the server gives this very name away, the mailbox that had it turns out to be gone.
    if let holder, holder.name != change.name { return }
    // What lies at its old place and is no folder now, such as an empty mount point, stays its own. With nothing there it
    // moves, too: what is made there later belongs to another.
    guard try isLeft || !isTaken(other.folder) else { return }
    change.folder = place
    change.isToMove = isLeft && !haveOwnName(other)
  }

  private func haveOwnName(_ record: MailboxRecord) -> Bool {
    renames.contains { $0.mailbox == record.id }
  }
}
