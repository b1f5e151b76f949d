import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import State
import SyncPlan

/// Files that are held back since the server may have their messages and not show them (``UndecidedFiles``), and of which a
/// person says that they are to be sent. Each is named: among many such files few are new mail.
struct HeldFiles {
  let context: AccountContext
  private let found: [Held]
  /// Of the account's own paths those that are no such files.
  private let others: [String]
  /// Those that lack parts of their messages.
  private let stubs: [String]

  private struct Held {
    let mailbox: MailboxKey
    let local: LocalFolder
    let file: MessageFile
    /// Under the name that it had.
    let record: SurplusFile
  }

  var isEmpty: Bool { found.isEmpty }

  /// - Parameter paths: absolute, with all symbolic links followed; those in other accounts are left out.
  init(_ paths: Set<String>, in context: AccountContext) throws {
    self.context = context
    guard !paths.isEmpty else {
      (found, others, stubs) = ([], [], [])
      return
    }
    var found: [Held] = []
    var stubs: [String] = []
    let account = (realPath(context.tree.path) ?? context.tree.path) + "/"
    var others = paths.filter { $0.hasPrefix(account) }
    for mailbox in try context.state.mailboxes() {
      let id = mailbox.id
      let hidden = try context.state.surplusOutOfView(in: id)
      guard !hidden.isEmpty, let local = try context.folders.local(ofMailbox: id) else { continue }
      let surplus = try context.state.surplus(in: id).filter { hidden.contains($0.nameHash) }
      let directory = realPath("\(context.tree.path)/\(local.path.text)")
      let recorded = RecordedFiles(surplus.map { UndecidedFile($0, .here) })
      for (file, record) in try recorded.files(in: local.folder) {
        guard let directory, paths.contains("\(directory)/\(file)") else { continue }
        others.remove("\(directory)/\(file)")
        if try local.digest(of: file)?.isStub == true {
          stubs.append("\(local.path.text)/\(file)")
        } else {
          found.append(Held(mailbox: id, local: local, file: file, record: record.file))
        }
      }
    }
    self.found = found
    self.others = others.map { String($0.dropFirst(account.count)) }.sorted()
    self.stubs = stubs.sorted()
  }

  /// Of which files nothing is sent, whatever the server has.
  func tellUnsent() {
    for path in stubs {
      context.note(
        RunProblem(
          problem: "“\(path)” has only a part of its message: it stays held back, and is not sent.",
          remedy: "Fill it first (`mirror fill`), once the server shows the message: then a pull "
            + "matches it, and nothing needs to be sent."))
    }
    for path in others {
      context.note(
        RunProblem(
          problem: "“\(path)” is not held back: a push sends it only if it is new.",
          exitStatus: .done
        ))
    }
  }

  /// Makes new mail of those that the server does not find, either: a server may find what it does not show.
  ///
  /// - Returns: whether there are any: then the tree is to be looked at again.
  func release(_ desk: PushDesk) throws -> Bool {
    var hasReleased = false
    for (mailbox, held) in found.grouped(by: \.mailbox) {
      let missing = try desk.mailboxes.with(mailbox) { open in
        try held.filter { try !isThere($0, open) }
      }
      // One that cannot be opened is reported.
      guard let missing else { continue }
      if missing.count < held.count { tell(held.count - missing.count, desk.known.name(mailbox)) }
      guard !missing.isEmpty else { continue }
      try context.write { transaction in
        for one in missing {
          try transaction.removeSurplus(nameHash: one.record.nameHash, from: mailbox)
        }
        try transaction.removeScan(of: mailbox)
      }
      hasReleased = true
    }
    return hasReleased
  }

  private func isThere(_ held: Held, _ open: borrowing OpenMailbox) throws -> Bool {
    guard let header = try held.local.header(of: held.file),
      let digest = try held.local.digest(of: held.file)
    else { return false }
    guard let identity = MessageIDField.value(in: header) else {
      return try showsNameless(digest, in: held.mailbox, open)
    }
    // Where a server does not search, all that arrived since tells: INTERNALDATE may be some days off.
    let date = try held.local.folder.facts(held.file).modified / 1_000_000_000
    let likely = try open.uids(withMessageIDs: [identity], since: date - 7 * 86_400)
      .subtracting(context.state.uids(.withFiles, in: held.mailbox))
    guard !likely.isEmpty else { return false }
    let headers = try open.headers(of: likely)
    return likely.uids.contains { headers[$0].map { $0.headerHash == digest.headerHash } ?? true }
  }

  /// Without a Message-ID nothing can be searched for: what is shown, and has no file of its own, is compared by its header.
  /// Sizes prove nothing here: readers write lines of their own into files, and some servers count wrongly.
  private func showsNameless(
    _ digest: MessageDigest, in mailbox: MailboxKey, _ open: borrowing OpenMailbox
  ) throws -> Bool {
    let shown = try open.uids(from: 1).subtracting(context.state.uids(.withFiles, in: mailbox))
    return try open.headers(of: shown).values.contains { $0.headerHash == digest.headerHash }
  }

  private func tell(_ count: Int, _ mailbox: String) {
    context.note(
      RunProblem(
        mailbox: mailbox,
        problem: count == 1
          ? "1 file that was to be sent is a message that the server has: it is not sent."
          : "\(count) files that were to be sent are messages that the server has: they are not "
            + "sent.",
        remedy: "Once the server shows \(count == 1 ? "it, it is" : "them, they are") matched."))
  }
}
