import Ledger
import MailCore
import Maildir
import State

/// What the server said of files that were not there: a person may have brought them back, or moved them.
struct LateChanges {
  let folder: CleanedFolder

  /// - Returns: how many files were touched.
  func apply() throws -> Int {
    let (context, local) = (folder.context, folder.local)
    var touched = 0
    var kept: [MessageRecord] = []
    let waiting = try context.state.unapplied(in: folder.mailbox.id)
    let places = try context.folders.places(
      ofFiles: Set(waiting.map { NameHash(of: $0.name) }), except: local.path)
    for record in waiting {
      guard let remote = record.unappliedRemote else { continue }
      var known = record
      known.unappliedRemote = nil
      var outcome = try local.bring(remote, to: known)
      if case .absent = outcome, let place = places[NameHash(of: record.name)],
        !context.policy.keywords.keepsLetters(for: remote, known)
      {
        let other = try context.folders.local(at: place)
        outcome = try other.bring(remote, to: known)
        try other.sync()
      }
      guard case .applied(let applied, let isTouched) = outcome else { continue }
      kept.append(applied)
      if isTouched { touched += 1 }
    }
    guard !kept.isEmpty else { return 0 }
    try local.sync()
    try folder.write(kept) { _ in }
    return touched
  }
}
