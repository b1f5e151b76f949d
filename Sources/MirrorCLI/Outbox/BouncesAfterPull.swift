import CLISupport
import Foundation
import MailCore
import MailIndex
import Maildir
import Outbox
import Queue
import Settings

/// Reports among the new mail of messages that could not be delivered are noted with the message: from then on it shows
/// in `status`, and in the exit status of a push, until it is dealt with.
struct BouncesAfterPull {
  let root: String
  let report: Report

  /// Bytes of a report that are read; the message that comes back may lie behind that.
  private static let limit = 1 << 20
  private static let most = 500

  /// Blocks. What goes wrong fails nothing: the report is in the INBOX in any case.
  func run(_ accounts: [AccountSettings]) {
    for account in accounts where account.smtp != nil { try? look(account.name) }
  }

  private func look(_ account: String) throws {
    // Also what came back before: more than one report may tell of that, and none of them may count against a retry.
    let sent = try OutboxReader.entries(account: root + "/" + account).filter { entry in
      !entry.phase.bounces.isEmpty
        || entry.phase.recipients.contains { $0.state == .sent || $0.state == .unknown }
    }
    guard let oldest = sent.compactMap({ $0.envelope?.queued.seconds }).min() else { return }
    let paths = try IndexReader.open(root: root).deliveryReports(
      account: account, since: oldest - 86_400, most: Self.most)
    let tree = try AccountTree.forReading(path: root + "/" + account)
    guard !paths.isEmpty, tree.isControlled, let outbox = try Outbox.open(in: tree) else { return }
    var isChanged = false
    for path in paths {
      guard let bounce = read(path), let entry = bounce.entry(among: sent) else { continue }
      let failed = bounce.failed(of: entry)
      // One that cannot be noted stands in no other's way.
      let isNews = try? outbox.bounced(entry.id, report: bounce.id, failed, at: .now())
      guard isNews == true else { continue }
      isChanged = true
      tell(entry, failed, account)
    }
    if isChanged { try SendQueueView.refresh(root: root, account: account) }
  }

  private func read(_ path: [UInt8]) -> DeliveryReport? {
    let place = root + "/" + String(decoding: path, as: UTF8.self)
    guard let file = FileHandle(forReadingAtPath: place),
      let bytes = try? file.read(upToCount: Self.limit)
    else { return nil }
    return bytes.withUnsafeBytes { DeliveryReport($0) }
  }

  private func tell(_ entry: QueueEntry, _ failed: [Int: String], _ account: String) {
    let name = entry.envelope?.subject.map { "“\($0)”" } ?? "A message"
    let recipients = entry.envelope?.recipients ?? []
    let words = failed.sorted { $0.key < $1.key }.compactMap { index, words in
      recipients.indices.contains(index) ? "\(recipients[index]) (\(words))" : nil
    }
    let way =
      if entry.file != nil {
        "`mirror outbox retry \(entry.id)` sends it there again, `discard` forgets it."
      } else {
        (entry.phase.copy == .filed ? "The message lies in Sent; " : "")
          + "`mirror outbox discard \(entry.id)` forgets what became of it."
      }
    report.notice(
      "\(account)/outbox \(entry.id)",
      "\(name) came back from \(words.joined(separator: ", ")). " + way)
  }
}
