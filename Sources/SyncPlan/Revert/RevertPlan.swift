import Ledger
import MailCore
import Maildir

/// What `mirror revert` does with the changes of a tree: each goes back to what was agreed with the server, except where
/// the server may know of it already. Pure: no file, no state, no clock.
package struct RevertPlan: Sendable {
  /// All mailboxes, as the state has them.
  package let mailboxes: [MailboxKey: MailboxRecord]
  /// Of these, those whose changes are given up.
  package var chosen: Set<MailboxKey> = []
  /// Flags and keywords, of files where they are now.
  package private(set) var marks: [ChangedMarks] = []
  /// To the folders that they were moved from.
  package private(set) var moves: [MovedMessage] = []
  /// The files are set aside; the server's messages are downloaded.
  package private(set) var edits: [EditedMessage] = []
  /// Downloaded again.
  package private(set) var gone: [MissingMessage] = []
  /// Directories to be renamed back, those above others first.
  package private(set) var folders: [TreeChanges.RenamedFolder] = []
  /// What exists only here, and stays.
  package private(set) var kept: [UnknownFile] = []
  /// Copies that were made here of messages that the server has: they stay, too.
  package private(set) var copies: [UnknownFile] = []
  /// Folders that are no mailboxes, and stay.
  package private(set) var keptFolders: [FolderPath] = []
  /// Messages of which a push asked something that was never answered: only a pull tells what became of them.
  package private(set) var underWay: [MessageKey] = []
  /// Messages that are gone here and that the server does not show at present: nothing could bring them back.
  package private(set) var notShown: [MessageKey] = []
  /// Messages whose file was saved anew, with other content: the new file would be taken for what the server has.
  package private(set) var savedAnew: [MessageKey] = []
  /// Keywords are letters, which mean something only by the table of a folder: what is moved gets those of its home in the
  /// very rename.
  package let keywordsAreLetters: Bool
  /// Why more than that is left as it is.
  package var problems: [RunProblem] = []

  /// - Parameters:
  ///   - all: as the state has them.
  ///   - scope: those whose changes are given up; nil for the whole account.
  ///   - steps: what pushes have under way.
  ///   - copies: new files that the server would be asked to copy from a message that it has.
  ///   - known: new files that are messages which the window leaves out.
  package init(
    _ changes: TreeChanges, _ all: [MailboxRecord], in scope: Set<MailboxKey>? = nil,
    steps: [PushStep], copies: [UnknownFile] = [], kept known: [UnknownFile] = [],
    keywordsAreLetters: Bool = false
  ) {
    self.keywordsAreLetters = keywordsAreLetters
    mailboxes = all.byKey
    let open = steps.filter { !$0.isCopied }
    let busy = Set(
      open.compactMap { step in
        step.source.map { MessageKey(mailbox: $0.mailbox, uid: $0.uid) }
      })
    func isMeant(_ mailbox: MailboxKey?) -> Bool {
      scope.map { mailbox.map($0.contains) ?? false } ?? true
    }
    func isFree(_ mailbox: MailboxKey, _ record: MessageRecord) -> Bool {
      let key = MessageKey(mailbox: mailbox, uid: record.uid)
      guard busy.contains(key) else { return true }
      underWay.append(key)
      return false
    }
    edits = changes.edited.filter { isMeant($0.mailbox) && isFree($0.mailbox, $0.record) }
    let edited = Set(edits.map { MessageKey(mailbox: $0.mailbox, uid: $0.record.uid) })
    for move in changes.moved
    where isMeant(move.from) || move.file.mailbox.map(isMeant) == true {
      guard isFree(move.from, move.record) else { continue }
      var change = ChangedMarks(move)
      if keywordsAreLetters { change.local.keywords = move.record.agreed.keywords }
      if change.local != move.record.agreed { marks.append(change) }
      moves.append(move)
    }
    for renamed in changes.renamed where isMeant(renamed.from) {
      guard renamed.file.marks != renamed.record.agreed, isFree(renamed.from, renamed.record)
      else { continue }
      marks.append(ChangedMarks(renamed))
    }
    marks += changes.marks.filter { change in
      isMeant(change.mailbox)
        && !edited.contains(MessageKey(mailbox: change.mailbox, uid: change.record.uid))
        && isFree(change.mailbox, change.record)
    }
    let others = Dictionary(grouping: changes.new + changes.twins, by: \.digest.headerHash)
    for message in changes.gone where isMeant(message.mailbox) {
      guard isFree(message.mailbox, message.record) else { continue }
      let record = message.record
      if others[record.headerHash]?.contains(where: {
        $0.digest.contentHash != record.contentHash
      }) == true {
        savedAnew.append(MessageKey(mailbox: message.mailbox, uid: record.uid))
      } else if record.traits.contains(.outOfView) {
        notShown.append(MessageKey(mailbox: message.mailbox, uid: message.record.uid))
      } else {
        gone.append(message)
      }
    }
    folders = changes.renamedFolders.filter { isMeant($0.mailbox) }
      .sorted { $0.folder.components.count < $1.folder.components.count }
    let new = (changes.new + changes.twins).filter { isMeant($0.mailbox) }
    kept = new.filter { !copies.contains($0) && !known.contains($0) }
    self.copies = new.filter(copies.contains)
    // Also of those that the configuration leaves out.
    let homes = Set(all.filter { !$0.isGone }.map(\.folder))
    let renamed = Set(changes.renamedFolders.map(\.folder))
    keptFolders =
      scope == nil
      ? changes.newFolders.filter { !renamed.contains($0) && !homes.contains($0) } : []
  }

  /// Nothing is left to be given up.
  package var isEmpty: Bool {
    folders.isEmpty && marks.isEmpty && moves.isEmpty && edits.isEmpty && gone.isEmpty
  }

  package func name(_ mailbox: MailboxKey?) -> String {
    mailbox.flatMap { mailboxes[$0]?.name } ?? ""
  }

  /// As a person would say it.
  package var actions: [RevertAction] {
    var summary = RevertSummary(account: "")
    for folder in folders {
      summary.add(RevertAction(.rename, mailbox: name(folder.mailbox), detail: folder.folder.text))
    }
    for change in marks {
      let delta = MarkDelta(change)
      summary.add(
        RevertAction(
          .mark, mailbox: name(change.mailbox), detail: delta.inverse.description))
    }
    // What lies in a renamed folder goes back with it.
    let going = Set(folders)
    for move in moves
    where !going.contains(.init(mailbox: move.from, folder: move.file.folder)) {
      let place = move.file.mailbox.map(name) ?? move.file.folder.text
      summary.add(RevertAction(.move, mailbox: name(move.from), detail: place))
    }
    for edit in edits { summary.add(RevertAction(.setAside, mailbox: name(edit.mailbox))) }
    for message in gone { summary.add(RevertAction(.restore, mailbox: name(message.mailbox))) }
    return summary.actions + keptActions
  }

  /// What stays.
  package var keptActions: [RevertAction] {
    var summary = RevertSummary(account: "")
    for file in kept { summary.add(RevertAction(.keep, mailbox: name(file.mailbox))) }
    for file in copies { summary.add(RevertAction(.keepCopy, mailbox: name(file.mailbox))) }
    for folder in keptFolders {
      summary.add(RevertAction(.keepFolder, mailbox: folder.text))
    }
    return summary.actions
  }
}
