import Ledger
import LocalChanges
import MIME
import MailCore
import Maildir
import State

/// Which files of a mailbox's folder may be messages that are older than all that the server shows of it. Confined to one
/// thread.
final class FilesOutOfView {
  private let view: PartialView
  private let local: LocalFolder
  private let context: AccountContext
  /// ``endOfView()``, once it was needed.
  private var end: Int64?

  /// Nil where the server shows all of it, as far as is known.
  init?(of record: MailboxRecord, in local: LocalFolder, _ context: AccountContext) throws {
    guard let view = try PartialView(of: record, context) else { return nil }
    (self.view, self.local, self.context) = (view, local, context)
  }

  func contains(_ file: MessageFile, _ fate: FileFate) throws -> Bool {
    // Under another account's name a file is one that was carried here, or the account has another name since.
    guard let birth = BirthName(base: file.base), birth.account == context.account else {
      return try isOld(file)
    }
    if birth.isBorn(in: view.mailbox) { return view.leavesOut(birth) }
    switch fate {
    case .unknown: return false
    case .lost: return true
    case .renumbered: return view.leavesOut(from: birth.internalDate)
    }
  }

  /// Of a name that no pull of this account gave nothing but dates tells. The time of a file that a program saved here, and a push sent, is
  /// the message's; of one that was copied, or that another program pulled, it may be any later one. The Date field is
  /// mostly some hours older than INTERNALDATE. So either makes it old: what is held for its date alone is reported, and a
  /// message that is sent twice stays so.
  private func isOld(_ file: MessageFile) throws -> Bool {
    let end = try end ?? endOfView()
    self.end = end
    if try local.folder.facts(file).modified / 1_000_000_000 < end { return true }
    return try written(file).map { $0 < end } ?? false
  }

  /// The date, in Unix seconds, that is later than those of messages beyond the view: by INTERNALDATE, and by what the writers
  /// of the oldest messages shown say, since the two differ by more where a clock or a zone was wrong.
  private func endOfView() throws -> Int64 {
    guard !view.showsNothing else { return try endOfOtherViews() }
    var end = view.oldestDate
    for message in view.lowest {
      let date = try local.withFile(message.name, lastFlags: message.agreed.flags, written) ?? nil
      for date in [message.internalDate, date ?? 0] where date <= context.started {
        end = end == .max ? date : max(end, date)
      }
    }
    return end
  }

  /// Where nothing is shown, a view of so many days may leave out all that there is: that is older than anything that it
  /// shows elsewhere. None is of less than a day.
  private func endOfOtherViews() throws -> Int64 {
    var end = context.started - 86_400
    for mailbox in try context.state.mailboxes() where !mailbox.isGone {
      guard let id = mailbox.id else { continue }
      try context.state.forEachMessage(in: id) { message in
        guard message.traits.isDisjoint(with: [.outOfView, .expunged]) else { return }
        if message.internalDate > 1 { end = min(end, message.internalDate) }
      }
    }
    return end
  }

  private func written(_ file: MessageFile) throws -> Int64? {
    try local.header(of: file).flatMap { MailDate.written(inHeader: $0, now: context.started) }
  }
}
