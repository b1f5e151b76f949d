import IMAPWire
import Ledger
import MailCore
import Maildir
import Remote
import State
import SyncPlan

/// What a server has, matches a search, and is not here.
package struct MessagesElsewhere: Sendable {
  /// One message.
  package struct Found: Sendable {
    package var mailbox: MailboxName
    /// As people name it: `Archive/2024`.
    package var folder: String
    package var uid: UID
    package var marks: MessageMarks
    /// INTERNALDATE, Unix seconds.
    package var date: Int64
    package var size: Int64
    package var header: [UInt8]
  }

  /// The newest of each mailbox, in no order.
  package var messages: [Found] = []
  /// Others that match, and are older.
  package var more = 0
  /// Each mailbox that could not be looked into, or the account, and why.
  package var problems: [RunProblem] = []

  package init() {}
}

extension AccountRun {
  /// Asks the server which messages match, mailbox by mailbox. Blocks; changes nothing, and waits for no run.
  ///
  /// - Parameters:
  ///   - criteria: of a mailbox and its folder; nil where nothing of it is meant.
  ///   - newest: of each mailbox so many are looked at.
  ///   - now: Unix seconds, for a message that has no date.
  package func search(
    newest: Int, now: Int64, _ criteria: (MailboxName, _ folder: String) throws -> SearchCriteria?
  ) -> MessagesElsewhere {
    var found = MessagesElsewhere()
    do {
      try search(newest: newest, now: now, criteria, &found)
    } catch {
      found.problems.append(RunProblem(error))
    }
    return found
  }

  private func search(
    newest: Int, now: Int64, _ criteria: (MailboxName, String) throws -> SearchCriteria?,
    _ found: inout MessagesElsewhere
  ) throws {
    let state = try StateStore(path: path + "/.mirror/state.db", durable: false, readOnly: true)
    defer { state.shut() }
    let places = try state.mailboxes().compactMap { place in
      place.isGone || place.keepsNothing || place.uidValidity == 0
        ? nil : try criteria(place.mailboxName, place.folder.text).map { (place, $0) }
    }
    guard !places.isEmpty else { return }
    let session = try factory.openSession()
    defer { session.logout() }
    let connection = RemoteConnection(
      session: session, labels: LabelPolicy(mirrored: [String]()),
      policy: MaildirPolicy(account.sync))
    for (place, criteria) in places {
      if interrupt.isTriggered { throw SyncError.interrupted }
      do {
        let (messages, more) = try connection.withMailbox(MailboxTarget(place)) {
          try absent(matching: criteria, place, state, newest: newest, now: now, $0)
        }
        found.messages += messages
        found.more += more
      } catch {
        guard case .mailbox = RunFailure(error) else { throw error }
        found.problems.append(RunProblem(error, mailbox: place.name))
      }
    }
  }

  private func absent(
    matching criteria: SearchCriteria, _ place: MailboxRecord, _ state: StateStore, newest: Int,
    now: Int64, _ remote: borrowing OpenMailbox
  ) throws -> (messages: [MessagesElsewhere.Found], more: Int) {
    let here = try state.uids(.withFiles, in: place.id)
    // Those that were numbered last came last, but for what was copied there.
    let matching = try remote.uids(matching: criteria).subtracting(here)
    let (absent, _) = matching.splitNewest(max(newest, 1000))
    let measures = try remote.measures(of: absent, unknownDate: now)
      .sorted { ($0.date, $0.uid) > ($1.date, $1.uid) }.prefix(newest)
    let uids = UIDSet(measures.map { UID($0.uid) }.sorted())
    guard !uids.isEmpty else { return ([], 0) }
    let messages = try remote.wholeHeaders(of: uids).map {
      MessagesElsewhere.Found(
        mailbox: place.mailboxName, folder: place.folder.text, uid: $0.message.uid,
        marks: $0.message.marks, date: $0.message.internalDate ?? now, size: $0.message.size ?? 0,
        header: $0.header)
    }
    return (messages, matching.count - uids.count)
  }
}
