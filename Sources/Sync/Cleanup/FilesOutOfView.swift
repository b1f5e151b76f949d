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
  /// Where the view ends, once it was needed.
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
    if birth.isBorn(in: view.mailbox) {
      return try view.leavesOut(birth) || leavesOutUnseen(from: birth.internalDate)
    }
    switch fate {
    case .unknown: return false
    case .lost: return true
    case .renumbered:
      return try view.leavesOut(from: birth.internalDate)
        || leavesOutUnseen(from: birth.internalDate)
    }
  }

  /// The same of a mailbox that shows nothing, and may be one that was numbered anew.
  private func leavesOutUnseen(from date: Int64) throws -> Bool {
    try view.showsNothing && date < knownEnd()
  }

  /// Of a name that no pull of this account gave nothing but dates tells. The time of a file that a program saved here, and a push sent, is
  /// the message's; of one that was copied, or that another program pulled, it may be any later one. The Date field is
  /// mostly some hours older than INTERNALDATE. So either makes it old: what is held for its date alone is reported, and a
  /// message that is sent twice stays so. Nor does a second tell which of two came first.
  private func isOld(_ file: MessageFile) throws -> Bool {
    let end = try knownEnd()
    if try local.folder.facts(file).modified / 1_000_000_000 <= end { return true }
    return try written(file, in: local).map { $0 <= end } ?? true
  }

  private func knownEnd() throws -> Int64 {
    if let end { return end }
    let found = try view.showsNothing ? endOfOtherViews() : endOfView(view, in: local)
    end = found
    return found
  }

  /// The date, in Unix seconds, that is later than those of messages beyond the view: by INTERNALDATE, and by what the writers
  /// of the oldest messages shown say, since the two differ by more where a clock or a zone was wrong.
  private func endOfView(_ view: PartialView, in local: LocalFolder?) throws -> Int64 {
    var end = view.oldestDate
    for message in view.lowest {
      let date =
        try local?.withFile(of: message) { file in
          try local.flatMap { try written(file, in: $0) }
        } ?? nil
      for date in [message.internalDate, date ?? 0] where date <= context.started {
        end = end == .max ? date : max(end, date)
      }
    }
    return end
  }

  /// Where nothing is shown, a view of so many days may leave out all that there is. It ends nowhere later than where the
  /// other mailboxes show it to end: the latest of these counts, since a single old message (a draft) may be shown
  /// whatever its day, and what is held can still be sent. Where none shows enough to tell, all is held but what is of the last
  /// day: no view is of less.
  private func endOfOtherViews() throws -> Int64 {
    var end: Int64?
    for mailbox in try context.state.mailboxes() where !mailbox.isGone {
      guard let other = try PartialView(of: mailbox, context),
        other.count >= Self.telling
      else { continue }
      end = try max(end ?? .min, endOfView(other, in: context.folders.local(ofMailbox: mailbox.id)))
    }
    let latest = context.started - 86_400
    return min(end ?? latest, latest)
  }

  /// Of so many messages not all are old ones that came there lately.
  private static let telling = 10

  private func written(_ file: MessageFile, in local: LocalFolder) throws -> Int64? {
    try local.header(of: file).flatMap { MailDate.written(inHeader: $0, now: context.started) }
  }
}
