import Ledger
import MailCore
import Maildir
import State
import SyncPlan

/// Files in the trash that were surplus elsewhere until a person threw them away. Their messages are in other mailboxes, and
/// stay there: the server gets no copy of them for its trash.
///
/// The folder that such a file comes from keeps knowing it: what is put back there is what it was.
struct DiscardedFiles {
  let seen: SeenTree
  /// Messages that a person deleted, too.
  private let gone: Set<MessageKey>
  private let trash: Set<Int64>
  /// Contents of surplus files that do not lie where they are known, and by these, the header hashes of the messages that
  /// other mailboxes have; read when a file in the trash first needs them.
  private var missing: Set<UInt64>?
  private var headers: [UInt64: Set<UInt64>]?

  init(seen: SeenTree, gone: [MissingMessage]) {
    self.seen = seen
    self.gone = Set(gone.map { MessageKey(mailbox: $0.mailbox, uid: $0.record.uid) })
    trash = FolderRoles(seen.scope.mailboxes).trash
  }

  /// Whether a file that no record tells of is such a one.
  mutating func holds(_ file: UnknownFile) throws -> Bool {
    guard file.mailbox.map(trash.contains) == true else { return false }
    let missing = try missing ?? missingSurplus()
    self.missing = missing
    let headers = try headers ?? headersElsewhere(of: missing)
    self.headers = headers
    if headers[file.digest.contentHash]?.contains(file.digest.headerHash) == true { return true }
    return try missing.contains(file.digest.contentHash) && isElsewhereInPart(file)
  }

  /// Whether another mailbox has its message, of which large parts are on the server alone.
  private func isElsewhereInPart(_ file: UnknownFile) throws -> Bool {
    try seen.scope.state.onDemand(.stub).contains { mailbox, message in
      !trash.contains(mailbox) && message.isOtherForm(file.digest)
        && message.traits.isDisjoint(with: [.outOfView, .differs, .expunged])
        && !gone.contains(MessageKey(mailbox: mailbox, uid: message.uid))
    }
  }

  private func missingSurplus() throws -> Set<UInt64> {
    var missing: Set<UInt64> = []
    for record in seen.scope.mailboxes {
      guard let id = record.id, !trash.contains(id) else { continue }
      let surplus = try seen.scope.state.surplus(in: id)
      guard !surplus.isEmpty else { continue }
      let path = try record.folderPath()
      let scan =
        try seen.stamps[path] == nil
        ? nil : FolderScan.read(MaildirFolder.open(path, in: seen.scope.tree))
      for file in surplus where scan?.contains(hash: file.nameHash) != true {
        missing.insert(file.contentHash)
      }
    }
    return missing
  }

  /// Of the messages that other mailboxes than the trash have.
  private func headersElsewhere(of contents: Set<UInt64>) throws -> [UInt64: Set<UInt64>] {
    var headers: [UInt64: Set<UInt64>] = [:]
    guard !contents.isEmpty else { return headers }
    for record in seen.scope.mailboxes {
      guard let id = record.id, !trash.contains(id) else { continue }
      let held = try seen.scope.state.contents(in: id, among: contents)
      for uid in held.values.joined() where !gone.contains(MessageKey(mailbox: id, uid: uid)) {
        guard let message = try seen.scope.state.message(in: id, uid), !message.name.isEmpty,
          message.traits.isDisjoint(with: [.outOfView, .differs, .expunged])
        else { continue }
        headers[message.contentHash, default: []].insert(message.headerHash)
      }
    }
    return headers
  }
}
