import Foundation
import MIME
import MailCore
import Maildir
import Queue
import Transport

/// Files the copies of what was sent, and looks for what is unknown.
struct SentCopies {
  let sender: OutboxSender
  let rule: SentCopyRule
  let ownAddress: String?
  let surroundings: OutboxSurroundings
  let clock: () -> QueueInstant

  /// - Returns: what could not be done, which is tried again with the next push.
  func run() -> [Explanation] {
    var problems: [Explanation] = []
    let entries: [QueueEntry]
    do throws(QueueError) {
      entries = try sender.outbox.entries()
    } catch {
      return [error.explanation]
    }
    var toCopy = entries.filter(\.awaitsCopy)
    let unknown = entries.filter { $0.mayBeProven(among: entries) }
    let mailboxes = LazyMailboxes(open: surroundings.mailboxes)
    defer { mailboxes.close() }
    if !unknown.isEmpty { pause(unknown) }
    for entry in unknown where mailboxes.mayBeAsked {
      attempt(entry, &problems) {
        guard let opened = try mailboxes.opened() else { return }
        if let found = try probe(entry, among: entries, opened) { toCopy.append(found) }
      }
    }
    file(toCopy, mailboxes, &problems)
    return problems
  }

  /// One that fails stands in no other's way.
  func attempt(
    _ entry: QueueEntry, _ problems: inout [Explanation], _ body: () throws -> Void
  ) {
    do {
      try body()
    } catch {
      let unknown = SentMailboxProblem.copyNotFiled(entry.id, reason: "\(error)")
      var problem = ((error as? any Explained) ?? unknown).explanation
      problem.remedy = problem.remedy ?? SentMailboxProblem.laterCopy
      if !problems.contains(problem) { problems.append(problem) }
    }
  }

  // MARK: Unknown

  /// A provider may take a moment to file what it has just accepted.
  private func pause(_ unknown: [QueueEntry]) {
    guard surroundings.mailboxes != nil else { return }
    let now = clock()
    let ages = unknown.compactMap { $0.phase.changed?.elapsed(until: now) }.map { Double($0) / 1e9 }
    guard let youngest = ages.min() else { return }
    _ = surroundings.interrupt.wait(seconds: surroundings.probePause - youngest)
  }

  /// The entry once it is proven sent.
  private func probe(
    _ entry: QueueEntry, among entries: [QueueEntry], _ mailboxes: any SentMailboxes
  ) throws -> QueueEntry? {
    guard let header = try header(of: entry), !header.isPassedOn else { return nil }
    var sought = sought(entry, header: header)
    let others = entries.filter { $0.id != entry.id }
    sought.otherIDs = Set(others.compactMap { $0.envelope?.messageID })
    // The second key is none where another message has the same.
    if others.contains(where: { $0.envelope?.subject == entry.envelope?.subject }) {
      sought.subject = nil
    }
    guard let place = try mailboxes.proof(of: sought) else { return nil }
    return try sender.note(.foundSent("found in \(place)"), for: entry.id, at: clock())
  }

  func sought(_ entry: QueueEntry, header: RawHeader?) -> SoughtMessage {
    func text(_ name: String) -> String? {
      header?.first(name).map { String(decoding: $0.value, as: UTF8.self) }
    }
    let own = ownAddress?.lowercased()
    return SoughtMessage(
      messageID: entry.envelope?.messageID, spelledID: text("Message-ID").flatMap(Self.spelled),
      date: text("Date"), subject: text("Subject"), queuedSeconds: entry.queuedSeconds,
      goesToSelf: entry.envelope?.recipients.contains { $0.lowercased() == own } ?? false)
  }

  /// What stands between the angle brackets.
  private static func spelled(_ field: String) -> String? {
    guard let open = field.firstIndex(of: "<"), let close = field.lastIndex(of: ">"), open < close
    else { return nil }
    let text = String(field[field.index(after: open)..<close])
    return text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? text : nil
  }

  func header(of entry: QueueEntry) throws -> RawHeader? {
    guard entry.file != nil else { return nil }
    let reader = try sender.outbox.message(of: entry)
    var start = [UInt8](repeating: 0, count: 64 * 1024)
    let count = try reader.read(into: &start)
    return start[..<count].withUnsafeBytes { RawHeader.parse($0).0 }
  }
}

extension RawHeader {
  /// It came from elsewhere, or was sent before, under the same Message-ID: copies of it prove nothing.
  fileprivate var isPassedOn: Bool {
    fields.contains { $0.isNamed("Received") || $0.name.lowercased().hasPrefix("resent-") }
  }
}
