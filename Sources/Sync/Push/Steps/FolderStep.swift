import IMAPWire
import MailCore
import SyncPlan

/// Folders that were renamed or made here, before all else: what the rest of a plan is about has other names then.
final class FolderStep: PushPart {
  let desk: PushDesk
  private let renames: FolderRenameStep
  /// Each is asked for, and its trouble told, once in a run.
  private var tried: Set<FolderPath> = []
  /// Beginnings of names that wait for one of them.
  private var waiting: [String] = []

  init(desk: PushDesk) {
    self.desk = desk
    renames = FolderRenameStep(desk: desk)
  }

  /// Folders that were renamed or made here.
  ///
  /// - Returns: whether anything changed: then the tree is to be looked at again.
  func carryOut(_ plan: PushPlan) throws -> Bool {
    guard !plan.renames.isEmpty || !plan.creations.isEmpty else { return false }
    let creations = FolderCreationStep(desk: desk)
    var changed = false
    // What lies below a folder that has to wait waits, too: the server would make what is above it.
    let delimiter = known.delimiter.map(String.init) ?? "/"
    func waits(_ name: String) -> Bool { waiting.contains { name.isBelow($0, delimiter) } }
    for rename in plan.renames {
      guard tried.insert(rename.folder).inserted, !waits(rename.name) else { continue }
      try context.checkInterrupt()
      try mailboxes.sparing(rename.mailbox) {
        changed = try renames.carryOut(rename, of: plan) || changed
      }
      if mailboxes.isSkipped(rename.mailbox) { waiting.append(rename.name) }
    }
    for creation in plan.creations {
      guard tried.insert(creation.folder).inserted, !waits(creation.name) else { continue }
      try context.checkInterrupt()
      try context.sparing(creation.folder.text) {
        changed = try creations.carryOut(creation) || changed
      }
      if !session.isUsable { throw IMAPError.sessionOver }
    }
    return changed
  }

  /// What an interrupted push was about when it asked the server for a new name.
  ///
  /// - Returns: whether there was anything: then the tree is to be looked at again.
  func finishRename() throws -> Bool { try renames.finishRename() }
}
